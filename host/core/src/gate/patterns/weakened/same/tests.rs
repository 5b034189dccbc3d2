//! Pairs of checks: the same, a weaker one, and another one.

use super::*;

fn implies(new: &str, old: &str) -> bool {
    read(new).zip(read(old)).is_some_and(|(new, old)| new.implies(&old))
}

#[test]
fn the_same_in_the_words_of_other_libraries() {
    for all in [
        &[
            "assertEquals(5, f(1));",
            "assertEquals(\"five\", 5, f(1));",
            "assertThat(f(1)).isEqualTo(5);",
            "assertThat(f(1), is(5));",
            "assertThat(f(1), is(equalTo(5)));",
            "Assert.AreEqual(5, f(1));",
            "Assert.That(f(1), Is.EqualTo(5));",
            "f(1).Should().Be(5);",
            "f(1).ShouldBe(5);",
            "f(1) shouldBe 5",
            "expect(f(1)).toEqual(5);",
            "expect(f(1)).to.equal(5);",
            "expect(f(1)).to.deep.equal(5);",
            "expect(f(1)).to eq(5)",
            "expect(f(1)).to eq 5",
            "_(f(1)).must_equal 5",
            "assert_equal 5, f(1)",
            "assert f(1) == 5",
            "assert_eq!(f(1), 5);",
            "assert!(f(1) == 5);",
            "self.assertEqual(f(1), 5)",
            "$this->assertEquals(5, f(1));",
            "EXPECT_EQ(5, f(1));",
            "EXPECT_THAT(f(1), Eq(5));",
            "assert.Equal(t, 5, f(1))",
            "require.Equal(t, 5, f(1), \"five\")",
            "Expect(f(1)).To(Equal(5))",
            "t.equal(f(1), 5);",
            "XCTAssertEqual(f(1), 5)",
        ][..],
        &[
            "assertNull(f());",
            "assertNull(\"why\", f());",
            "expect_null(f())",
            "expect_equal(f(), NULL)",
            "assertEquals(null, f());",
            "assertThat(f()).isNull();",
            "assertThat(f(), is(nullValue()));",
            "Assert.That(f(), Is.Null);",
            "f().Should().BeNull();",
            "expect(f()).toBeNull();",
            "expect(f()).to.be.null;",
            "assert f() is None",
            "self.assertIsNone(f())",
            "assert f() == None",
            "assert_nil f()",
        ],
        &[
            "assert len(f()) == 2",
            "assertThat(f()).hasSize(2);",
            "assertEquals(2, f().size());",
            "expect(f()).toHaveLength(2)",
        ],
        &["assertTrue(f().isEmpty());", "assertThat(f()).isEmpty();", "Assert.Empty(f());", "assert!(f().is_empty());"],
        &["assert!(f().is_some());", "assert!(!f().is_none());"],
        &["assert!(f().is_none());", "assert!(!f().is_some());"],
        &["expect(f.open?).to be true", "expect(f).to be_open", "assert(f.open?)", "assert_equal true, f.open?"],
        &["expect(f.open?(1)).to be false", "expect(f).not_to be_open(1)", "refute(f.open?(1))"],
        &["self.assertIn(1, f())", "assert 1 in f()", "assertThat(f()).contains(1);", "expect(f()).toContain(1)"],
    ] {
        for (one, other) in all.iter().flat_map(|one| all.iter().map(move |other| (one, other))) {
            assert!(implies(one, other), "{one} | {other}: {:?} {:?}", read(one), read(other));
        }
    }
}

#[test]
fn what_implies_a_weaker_check() {
    for (new, old) in [
        ("assertEquals(5, order.total());", "assertNotNull(order);"),
        ("assert found.label == \"tea\"", "assert found is not None"),
        ("assert found[\"label\"] == \"tea\"", "assert found"),
        ("$this->assertSame(5, $order->total);", "$this->assertNotNull($order);"),
        ("assert f() == [1, 2]", "assert len(f()) == 2"),
        ("assert f() == \"one tea\"", "assert \"tea\" in f()"),
        ("assertEquals(5, f());", "assertNotNull(f());"),
        ("assertSame(a, b);", "assertEquals(a, b);"),
    ] {
        assert!(implies(new, old), "{new} | {old}: {:?} {:?}", read(new), read(old));
        assert!(!implies(old, new), "{old} | {new}");
    }
}

#[test]
fn what_says_something_else() {
    for (new, old) in [
        ("assertEquals(6, f(1));", "assertEquals(5, f(1));"),
        ("assertThat(g(1)).isEqualTo(5);", "assertEquals(5, f(1));"),
        ("assertThat(f(1)).isNotEqualTo(5);", "assertEquals(5, f(1));"),
        ("assertThat(f(1)).isNotNull();", "assertEquals(5, f(1));"),
        ("expect(f(1)).not.toBe(5);", "assertEquals(5, f(1));"),
        ("expect(f(1)).not.to.equal(5);", "expect(f(1)).to.equal(5);"),
        ("assertEquals(5, f(1), 0.1);", "assertEquals(5, f(1));"),
        ("assert f(1) == 5 or x", "assert f(1) == 5"),
        ("assert(f ? a : b)", "assert(f)"),
        ("expect(f).to be_truthy", "expect(f.truthy?).to be true"),
        ("expect(f).to be_within(1).of(2)", "expect(f.within?(1)).to be true"),
        ("expect(f).to_not be_open", "expect(f.open?).to be true"),
        ("assert!(f()?)", "assert!(f())"),
        ("assert!(!f().is_some())", "assert!(f().is_some())"),
        ("assert f(1) == 5 if x else True", "assert f(1) == 5"),
        ("if (x) assertEquals(5, f(1));", "assertEquals(5, f(1));"),
        ("boolean same = f(1).equals(5);", "assertEquals(5, f(1));"),
        ("f(1) == 5", "assert f(1) == 5"),
        ("expect(order?.total).toBe(5)", "expect(order).not.toBeNull()"),
        ("assertEquals(orders.total, 5)", "assertNotNull(order)"),
        ("assertEquals(null, f())", "assertNotNull(f())"),
        ("assertThat(f(1)).isEqualTo(5).isEven();", "assertEquals(5, f(1));"),
        ("() -> assertEquals(5, f(1))", "assertEquals(5, f(1))"),
        ("x = assertEquals(5, f(1))", "assertEquals(5, f(1))"),
    ] {
        assert!(!implies(new, old), "{new} | {old}: {:?} {:?}", read(new), read(old));
    }
}

#[test]
fn any_line_is_read_in_bounds() {
    for line in [
        "",
        "(",
        "assert",
        "assert (",
        "expect(",
        "expect(x).",
        "x.Should(",
        ")))",
        "assertThat(a,)",
        "assert not",
        "is",
    ] {
        let _ = read(line);
    }
    assert_eq!(read(&"assert f(".repeat(10_000)), None);
}
