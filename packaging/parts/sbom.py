"""Writes the bill of materials as CycloneDX 1.6 in JSON, and validates it by the schema of cyclonedx-python-lib."""
import datetime
import uuid

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL


def write_sbom(path, program, parts, epoch):
    """Writes the components to a file. Equal components give equal octets."""
    models = {part.name: model(part) for part in parts}
    root = model(program, ComponentType.APPLICATION)
    bom = Bom(
        components=models.values(),
        # Not random, so that builds of one commit are equal.
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, repr((program, parts))),
        metadata=BomMetaData(component=root, timestamp=datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)))
    for part in [program, *parts]:
        bom.register_dependency(models.get(part.name, root), [models[name] for name in part.needs])
    text = JsonV1Dot6(bom).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        raise SystemExit(f"{path}: {wrong}")
    path.write_text(text + "\n")


def model(part, kind=None):
    kind = kind or (ComponentType.DATA if part.is_data else ComponentType.LIBRARY)
    return Component(
        type=kind, name=part.name, version=part.version, bom_ref=f"{part.name}@{part.version}",
        licenses=[LicenseFactory().make_from_string(part.license)],
        copyright=f"Copyright {part.copyright}", purl=PackageURL.from_string(part.purl) if part.purl else None,
        external_references=[ExternalReference(type=ExternalReferenceType.WEBSITE, url=XsUri(part.url))] if part.url else [])
