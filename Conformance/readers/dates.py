"""Times of certificates and responses as seconds since 1970."""

import datetime

UTC_TIME = 23


def seconds(tag, content):
    """A UTCTime or GeneralizedTime in the form of RFC 5280 §4.1.2.5."""
    digits = content.decode().rstrip("Z")
    if tag == UTC_TIME:
        digits = ("20" if digits < "50" else "19") + digits
    date = datetime.datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=datetime.timezone.utc)
    return int(date.timestamp())


def utc(*parts):
    """Seconds since 1970 of a year, month, day, hour, minute and second."""
    return int(datetime.datetime(*parts, tzinfo=datetime.timezone.utc).timestamp())
