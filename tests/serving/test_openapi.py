"""The HTTP API conforms to its OpenAPI description for any input."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation

from tlogic.serving.engine.service import Service
from tlogic.serving.web.settings import AccessSettings
from tlogic.serving.web.web_app import create_app

EXAMPLES = 12
HERE = {"Host": "127.0.0.1"}
NAMES = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
]


@pytest.mark.parametrize("kind", ["service", "model_service"])
def test_the_api_conforms_to_its_description(kind: str, request: pytest.FixtureRequest) -> None:
    service: Service = request.getfixturevalue(kind)
    app = create_app(service, AccessSettings(rate=1e6, burst=10**6), page=False)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HERE)
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) == 18
    for operation in operations:
        for mode in GenerationMode:
            check_operation(operation, mode)


def check_operation(operation: APIOperation, mode: GenerationMode) -> None:
    """Send valid or invalid requests of one operation."""

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    def check(case: schemathesis.Case) -> None:
        checks: Any = CHECKS.get_by_names(NAMES)
        case.call_and_validate(checks=checks, headers=HERE)

    if mode is GenerationMode.POSITIVE or operation.query or operation.body or operation.path_parameters:
        check()
