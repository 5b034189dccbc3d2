import unittest

from inventory import Store


class StoreTest(unittest.TestCase):
    def test_adds_deliveries_up(self):
        store = Store([("bolt", 3), ("nut", 5), ("bolt", 4)])
        self.assertEqual(dict(store), {"bolt": 7, "nut": 5})

    def test_keeps_the_order_of_delivery(self):
        self.assertEqual(list(Store([("nut", 1), ("bolt", 1)])), ["nut", "bolt"])


if __name__ == "__main__":
    unittest.main()
