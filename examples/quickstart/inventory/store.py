"""Keeps how many of each article there are."""

from collections import Mapping, OrderedDict


class Store(Mapping):
    """A read-only view of the stock, in the order of delivery."""

    def __init__(self, deliveries):
        self._stock = OrderedDict()
        for article, amount in deliveries:
            self._stock[article] = self._stock.get(article, 0) + amount

    def __getitem__(self, article):
        return self._stock[article]

    def __iter__(self):
        return iter(self._stock)

    def __len__(self):
        return len(self._stock)
