"""What a service counts and measures, as Prometheus reads it."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from tlogic.serving.engine.service import Service

_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Metrics:
    """The metrics of one service, in a registry of their own."""

    def __init__(self, service: Service) -> None:
        disable_created_metrics()  # when a counter was made says nothing
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "tlogic_requests", "Requests answered.", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "tlogic_request_seconds", "How long requests took.", ["route"], registry=self.registry
        )
        self.events_added = Counter("tlogic_events_added", "New events taken in.", registry=self.registry)
        self.forecasts = Counter("tlogic_forecasts", "Questions answered.", registry=self.registry)
        self.registry.register(_Known(service))

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, method if method in _METHODS else "other", str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All of them as they are now."""
        return generate_latest(self.registry)


class _Known(Collector):
    """What is looked up when it is asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def describe(self) -> list[GaugeMetricFamily]:
        return []  # so that nothing is looked up before somebody asks

    def collect(self) -> Iterator[GaugeMetricFamily]:
        health, learning = self._service.health(), self._service.versions.learning
        yield GaugeMetricFamily("tlogic_facts", "Events known.", health.events)
        yield GaugeMetricFamily("tlogic_entities", "Entities known.", health.entities)
        yield GaugeMetricFamily("tlogic_relations", "Relations known.", health.relations)
        yield GaugeMetricFamily("tlogic_version", "The version of rules or a model in use.", health.version)
        yield GaugeMetricFamily("tlogic_store_reachable", "Whether events can be kept.", health.status == "ok")
        yield GaugeMetricFamily("tlogic_learning", "Whether it learns anew now.", learning.state == "running")
        yield GaugeMetricFamily("tlogic_learning_seconds", "How long it learned last.", learning.seconds or 0.0)
