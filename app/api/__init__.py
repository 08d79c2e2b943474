"""HTTP: translate a request, call a service, translate its answer."""
