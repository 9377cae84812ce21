"""HTTP interface of a service: application, routes, authentication, limits, request log and metrics."""
