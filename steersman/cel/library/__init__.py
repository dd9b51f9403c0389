"""The functions of CEL's standard library and of the extensions that Kubernetes has."""
