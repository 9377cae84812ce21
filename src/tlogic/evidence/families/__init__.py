"""The families of evidence, one module each. Listed in `tlogic.evidence.registry`."""
