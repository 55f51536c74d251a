"""Makes certificates, revocation lists and OCSP responses with one thing odd, and asks several judges."""
