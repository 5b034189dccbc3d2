"""Sends two calls of a tool with the real exporters, gzipped, to the endpoint given."""

import sys

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode

endpoint = sys.argv[1]
exporter = OTLPSpanExporter(endpoint=endpoint + "/v1/traces", compression=Compression.Gzip)
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(exporter))
tracer = provider.get_tracer("an agent")
with tracer.start_as_current_span("chat") as chat:
    chat.set_attribute("gen_ai.operation.name", "chat")
    for query, error in (("one", None), ("two", "no route to host")):
        with tracer.start_as_current_span("execute_tool search") as span:
            span.set_attribute("gen_ai.operation.name", "execute_tool")
            span.set_attribute("gen_ai.tool.name", "search")
            span.set_attribute("gen_ai.conversation.id", "talk-1")
            span.set_attribute("gen_ai.tool.call.id", "call-" + query)
            span.set_attribute("gen_ai.tool.call.arguments", '{"command": "search %s"}' % query)
            if error:
                span.record_exception(ConnectionError(error))
                span.set_status(Status(StatusCode.ERROR, error))
provider.shutdown()
