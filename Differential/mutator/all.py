"""Every family of situations by its name."""

from . import families, names, revocation

FAMILIES = {
    "fields": families.fields,
    "structure": families.structure,
    "recombination": families.recombination,
    "constraints": names.constraints,
    "hosts": names.hosts,
    "revocation": revocation.revocation,
}
