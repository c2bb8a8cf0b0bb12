"""Every trace of a tf.function: what was traced, for which argument types, how large the graph became."""

from __future__ import annotations

from typing import Any

from ...record.signals import TRACE
from ..bus import Bus, Open, now
from ..sites import user_site
from . import graphs
from ._tools import put_in, state
from .functions import code_facts, registry
from .signatures import describe_arguments


def install(bus: Bus, module: Any) -> None:
    traced: dict[int, int] = {}

    def enter(function_type: Any, func_graph: Any, tracing_options: Any) -> tuple[Open, Any] | None:
        try:
            number = registry.by_cache.get(id(tracing_options.function_cache), 0)
            facts = registry.code.get(number) or code_facts(tracing_options.python_function)
            attributes = tracing_options.attributes or {}
            attrs: dict[str, Any] = {
                "fn": number,
                **facts,
                "n": traced.get(number, 0),
                "depth": state.tracing,
                "args": describe_arguments(function_type),
                "scope": getattr(tracing_options.scope_type, "name", ""),
                "jit": bool(attributes.get("_XlaMustCompile")),
            }
            traced[number] = attrs["n"] + 1
            site = user_site(1)
            if site is not None:
                attrs["site"] = site
            if bus.on_main():
                state.tracing += 1
                attrs["main"] = True
            return bus.begin(TRACE, str(tracing_options.name), attrs), func_graph
        except Exception:
            return None

    def result(token: tuple[Open, Any] | None, concrete: Any) -> Any:
        if token is not None:
            try:
                name = concrete.name
                text = name.decode() if isinstance(name, bytes) else str(name)
                token[0][3]["concrete"] = text
                if token[0][3]["jit"]:
                    # Every function around this one holds a compiled part.
                    for span in bus.stack:
                        if span[1] == TRACE:
                            span[3]["jit_inside"] = True
                if token[0][3].get("jit_inside") or token[0][3]["jit"]:
                    state.compiled.update((text, text.encode()))
            except Exception:
                pass
        return concrete

    def leave(token: tuple[Open, Any] | None) -> None:
        if token is None:
            return
        span, graph = token
        if span[3].pop("main", False):
            state.tracing -= 1
        if "concrete" not in span[3]:
            span[3]["failed"] = True
        t0 = now()
        try:
            graphs.measure(graph, span[3], t0 - span[0])
            graphs.add_variables(graph, span[3])
        except Exception:
            pass
        bus.own_ns += now() - t0
        bus.end(span)

    put_in(
        bus,
        module,
        "_create_concrete_function",
        enter,
        leave,
        result,
        arguments=("function_type", "func_graph", "tracing_options"),
    )
