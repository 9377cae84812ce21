"""Metrics of a service in the Prometheus format."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from tlogic.serving.engine.service import Service

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Metrics:
    """The metrics of one service, in a separate registry."""

    def __init__(self, service: Service) -> None:
        disable_created_metrics()  # creation times of counters are noise
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "tlogic_requests", "Requests handled.", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "tlogic_request_seconds", "Duration of requests in seconds.", ["route"], registry=self.registry
        )
        self.events_added = Counter("tlogic_events_added", "New events added.", registry=self.registry)
        self.forecasts = Counter("tlogic_forecasts", "Queries answered.", registry=self.registry)
        self.outlooks = Counter("tlogic_outlooks", "Outlooks given.", registry=self.registry)
        self.registry.register(_ServiceCollector(service))

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request and its duration."""
        self._requests.labels(route, method if method in _METHODS else "other", str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """The current values of all metrics."""
        return generate_latest(self.registry)


class _ServiceCollector(Collector):
    """Reads the state of the service whenever the metrics are collected."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def describe(self) -> list[GaugeMetricFamily]:
        return []  # otherwise registering would already collect

    def collect(self) -> Iterator[GaugeMetricFamily]:
        health, learning = self._service.health(), self._service.versions.learning
        yield GaugeMetricFamily("tlogic_facts", "Events in the live store.", health.events)
        yield GaugeMetricFamily("tlogic_entities", "Entities in the live store.", health.entities)
        yield GaugeMetricFamily("tlogic_relations", "Relations in the live store.", health.relations)
        yield GaugeMetricFamily("tlogic_version", "Version of the rules or model in use.", health.version)
        yield GaugeMetricFamily("tlogic_store_reachable", "1 if the database is reachable.", health.status == "ok")
        yield GaugeMetricFamily("tlogic_learning", "1 while learning is running.", learning.state == "running")
        yield GaugeMetricFamily("tlogic_learning_seconds", "Duration of the last learning.", learning.seconds or 0.0)
