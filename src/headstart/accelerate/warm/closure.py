"""What an import brings along, worked out ahead for every module: reachability in the graph of needs.

Modules import each other in circles, so this is a matter of strongly connected components (Tarjan's algorithm,
without recursion); a set of modules is one large integer, a bit a module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Closure:
    """`brings(a, b)`: does the import of `a` bring `b` along?"""

    def __init__(self, needs: Mapping[str, Iterable[str]], names: Iterable[str]) -> None:
        self._names = list(names)
        self._index = {name: at for at, name in enumerate(self._names)}
        self._edges = [self._edges_of(name, needs) for name in self._names]
        self._reach = [0] * len(self._names)
        self._components()

    def _edges_of(self, name: str, needs: Mapping[str, Iterable[str]]) -> list[int]:
        wanted = dict.fromkeys(needs.get(name, ()))
        for one in (name, *list(wanted)):
            parent = one.rpartition(".")[0]
            while parent:  # the packages around a module are imported before it
                wanted[parent] = None
                parent = parent.rpartition(".")[0]
        return [self._index[one] for one in wanted if one in self._index and one != name]

    def brings(self, name: str, other: str) -> bool:
        return bool(self._reach[self._index[name]] >> self._index[other] & 1)

    def size(self, name: str) -> int:
        return self._reach[self._index[name]].bit_count()

    def _components(self) -> None:
        count = len(self._names)
        order, low, on_stack = [-1] * count, [0] * count, [False] * count
        stack: list[int] = []
        clock = 0
        for root in range(count):
            if order[root] >= 0:
                continue
            work = [(root, 0)]
            while work:
                node, at = work.pop()
                if at == 0:
                    order[node] = low[node] = clock
                    clock += 1
                    stack.append(node)
                    on_stack[node] = True
                edges = self._edges[node]
                while at < len(edges):
                    to = edges[at]
                    at += 1
                    if order[to] < 0:
                        work += [(node, at), (to, 0)]
                        break
                    if on_stack[to]:
                        low[node] = min(low[node], low[to])
                else:
                    if low[node] == order[node]:
                        self._close(node, stack, on_stack)
                    if work:
                        above = work[-1][0]
                        low[above] = min(low[above], low[node])

    def _close(self, root: int, stack: list[int], on_stack: list[bool]) -> None:
        members = []
        while True:
            node = stack.pop()
            on_stack[node] = False
            members.append(node)
            if node == root:
                break
        reach = 0
        for node in members:
            reach |= 1 << node
            for to in self._edges[node]:
                reach |= self._reach[to]
        for node in members:
            self._reach[node] = reach
