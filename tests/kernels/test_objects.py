"""Kernels on sets, strings and sequences against enumeration of all their features."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import KernelPCA as LibKernelPCA
from sklearn.svm import SVC as LibSVC

from surefit._core.errors import InvalidData, InvalidParameter
from surefit.kernels import Gaussian, GramRows, HiddenMarkov, SetIntersection, Spectrum, Subsequence, gram_blocks

SETS = [{1, 2, 3}, {2, 3, 9}, set(), {"a", (1, 2), 3}, {1, 2, 3, 9}]
OTHER_SETS = [{3, "unheard"}, {9, 2}]
WORDS = ["banana", "ananas", "bar", "", "nab", "science is organized", "scient"]
OTHER_WORDS = ["bananas", "zebra", "a"]


def subsets(s):
    return {frozenset(c) for size in range(len(s) + 1) for c in combinations(s, size)}


def pieces(word, length):
    return [word[i : i + length] for i in range(len(word) - length + 1)]


def subsequence_sum(s, t, length, decay):
    """Over all pairs of places."""
    total = 0.0
    for a in combinations(range(len(s)), length):
        for b in combinations(range(len(t)), length):
            if all(s[i] == t[j] for i, j in zip(a, b, strict=True)):
                total += decay ** (a[-1] - a[0] + 1 + b[-1] - b[0] + 1)
    return total


START = np.array([0.6, 0.3, 0.1])
MOVES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
EMISSION = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def markov_sum(s, t):
    """Over all chains of hidden states."""
    length, total = max(len(s), len(t)), 0.0
    for z in product(range(3), repeat=length):
        p = START[z[0]] * np.prod([MOVES[i, j] for i, j in pairwise(z)])
        p *= np.prod([EMISSION[z[i], x] for i, x in enumerate(s)]) * np.prod(
            [EMISSION[z[i], x] for i, x in enumerate(t)]
        )
        total += p
    return total


CHAINS = [[0, 1, 1, 0], [1, 1, 1, 1], [0, 0], [1], (0, 1, 0, 1, 1)]
OTHER_CHAINS = [[0, 1, 1, 0], [1, 0, 0, 0, 0]]
CASES = [
    (SetIntersection(), lambda a, b: len(subsets(a) & subsets(b)), SETS, OTHER_SETS),
    (Spectrum(2), lambda s, t: sum(u == v for u in pieces(s, 2) for v in pieces(t, 2)), WORDS, OTHER_WORDS),
    (Subsequence(3, 0.5), lambda s, t: subsequence_sum(s[:9], t[:9], 3, 0.5), [w[:9] for w in WORDS], OTHER_WORDS),
    (Subsequence(1, 0.7), lambda s, t: subsequence_sum(s, t, 1, 0.7), WORDS, OTHER_WORDS),
    (HiddenMarkov(START, MOVES, EMISSION), markov_sum, CHAINS, OTHER_CHAINS),
]


@pytest.mark.parametrize(("kernel", "one", "X", "Y"), CASES, ids=[str(case[0]) for case in CASES])
def test_values_are_those_of_all_features(kernel, one, X, Y):
    whole = np.array([[one(a, b) for b in X] for a in X], dtype=float)
    cross = np.array([[one(a, b) for b in X] for a in Y], dtype=float)
    np.testing.assert_allclose(kernel(X), whole, rtol=1e-12)
    np.testing.assert_allclose(kernel(Y, X), cross, rtol=1e-12)
    np.testing.assert_allclose(kernel(X, Y), cross.T, rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(Y), [one(y, y) for y in Y], rtol=1e-12)
    gram = GramRows(kernel, X)
    np.testing.assert_allclose(gram.rows([2, 0], [1, 2]), whole[np.ix_([2, 0], [1, 2])], rtol=1e-12)
    np.testing.assert_allclose(gram.diagonal(), np.diagonal(whole), rtol=1e-12)
    np.testing.assert_allclose(np.vstack([K for _, K in gram.cross(Y, 50)]), cross, rtol=1e-12)
    np.testing.assert_allclose(np.vstack([K for _, K in gram_blocks(kernel, X, None, 50)]), whole, rtol=1e-12)
    assert kernel.positive_definite
    assert np.linalg.eigvalsh(whole).min() > -1e-9


def test_the_table_of_lodhi_and_others():
    """Text Classification using String Kernels (2002), section 3: k(cat, car) = λ⁴, k(cat, cat) = 2λ⁴ + λ⁶."""
    decay = 0.3
    expected = np.array([[2 * decay**4 + decay**6, decay**4], [decay**4, 2 * decay**4 + decay**6]])
    np.testing.assert_allclose(Subsequence(2, decay)(["cat", "car"]), expected, rtol=1e-14)


@pytest.mark.parametrize(
    "container",
    [list, tuple, lambda x: np.array(x, dtype=object), pd.Series],
    ids=["list", "tuple", "objects", "series"],
)
def test_containers(container):
    expected = Spectrum(2)(WORDS)
    assert (Spectrum(2)(container(WORDS)) == expected).all()
    assert (Spectrum(2)(np.array(WORDS)) == expected).all()


def test_symbols_may_be_anything():
    numbers = [[ord(c) for c in word] for word in WORDS]
    for kernel in (Spectrum(2), Subsequence(2, 0.4)):
        np.testing.assert_allclose(kernel(numbers), kernel(WORDS), rtol=1e-14)
    named = HiddenMarkov(START, MOVES, EMISSION, symbols="ab")
    np.testing.assert_allclose(
        named(["abba", "b"]), HiddenMarkov(START, MOVES, EMISSION)([[0, 1, 1, 0], [1]]), rtol=1e-14
    )


def test_normalized_strings_and_long_chains():
    K = Spectrum(2).normalized()(WORDS)
    assert (np.diagonal(K)[np.array([len(w) > 1 for w in WORDS])] == pytest.approx(1.0)) and K.max() <= 1 + 1e-12
    chain = np.random.default_rng(0).integers(0, 2, 3000)  # k(x, x) is about e^-3000
    long = [np.where(np.arange(3000) < changed, 1 - chain, chain) for changed in range(4)]
    assert (HiddenMarkov(START, MOVES, EMISSION)(long) == 0).all()
    K = HiddenMarkov(START, MOVES, EMISSION, normalize=True)(long)
    assert np.diagonal(K) == pytest.approx(1.0)
    assert (0 < K).all() and (K <= 1 + 1e-9).all()
    short = [list(c) for c in CHAINS]
    plain = HiddenMarkov(START, MOVES, EMISSION)
    np.testing.assert_allclose(
        HiddenMarkov(START, MOVES, EMISSION, normalize=True)(short), plain.normalized()(short), rtol=1e-12
    )


def test_chains_of_numbers_by_a_function():
    """One state: k = Π p(x_t) Π p(x'_t)."""

    def density(x):
        return np.exp(-np.square(x) / 2)[:, None] / np.sqrt(2 * np.pi)

    k = HiddenMarkov([1.0], [[1.0]], density)
    X = [np.array([0.1, -1.0]), np.array([2.0])]
    p = [density(x).prod() for x in X]
    np.testing.assert_allclose(k(X), np.outer(p, p), rtol=1e-13)


def test_columns_of_several_kinds():
    """A row with a number, a number and a word."""
    rng = np.random.default_rng(0)
    V = rng.normal(size=(len(WORDS), 2))
    rows = np.empty((len(WORDS), 3), dtype=object)
    rows[:, :2], rows[:, 2] = V, WORDS
    k = Gaussian(0.5).on([0, 1]) * (1 + Spectrum(2).on(2))
    expected = Gaussian(0.5)(V) * (1 + Spectrum(2)(WORDS))
    for X in (rows, pd.DataFrame(rows), pd.DataFrame({"a": V[:, 0], "b": V[:, 1], "word": WORDS})):
        np.testing.assert_allclose(k(X), expected, rtol=1e-12)
        np.testing.assert_allclose(k.diagonal(X), np.diagonal(expected), rtol=1e-12)


LABELS = np.array([0, 0, 0, 1, 1, 1] * 3)
TEXTS = ["abab" + "ab" * i for i in range(3)] + ["ccdd" + "cd" * i for i in range(3)]
TEXTS = TEXTS * 2 + [t[1:] for t in TEXTS]


@pytest.mark.parametrize("kernel", [Spectrum(2), Subsequence(2, 0.5).normalized(), SetIntersection()], ids=str)
def test_in_support_vector_machines(kernel):
    """Ours with the kernel, scikit-learn's with it as a function, scikit-learn's with its matrix: one machine."""
    from surefit.svm import SVC

    K = kernel(TEXTS)
    ours = SVC(kernel=kernel).fit(TEXTS, LABELS)
    given = LibSVC(kernel="precomputed", tol=1e-8).fit(K, LABELS)
    called = LibSVC(kernel=kernel, tol=1e-8).fit(np.array(TEXTS, dtype=object), LABELS)
    new = ["abcd", "ddcc", "bababa"]
    expected = given.decision_function(kernel(new, TEXTS))
    np.testing.assert_allclose(ours.decision_function(new), expected, atol=1e-3)
    np.testing.assert_allclose(called.decision_function(np.array(new, dtype=object)), expected, atol=1e-6)
    assert (ours.predict(TEXTS) == LABELS).all()


MODEL = HiddenMarkov([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]], "abcd")


@pytest.mark.parametrize("kernel", [Spectrum(2), Subsequence(2, 0.5), SetIntersection(), MODEL], ids=str)
def test_in_kernel_ridge_and_kernel_pca(kernel):
    """Ridge is (K + α)⁻¹ y; the components are those scikit-learn finds in the matrix, up to sign."""
    from surefit.decomposition import KernelPCA
    from surefit.kernel_ridge import KernelRidge

    K, new = kernel(TEXTS), ["abcd", "ddcc"]
    cross = kernel(new, TEXTS)
    alpha = 0.1 * np.diagonal(K).mean()
    ridge = KernelRidge(alpha=alpha, kernel=kernel).fit(TEXTS, LABELS)
    expected = cross @ np.linalg.solve(K + alpha * np.eye(len(K)), LABELS)
    np.testing.assert_allclose(ridge.predict(new), expected, atol=1e-9)
    ours = KernelPCA(1, kernel=kernel).fit(TEXTS).transform(new)
    theirs = LibKernelPCA(1, kernel="precomputed").fit(K).transform(cross)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-6, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: SetIntersection()([{1}, 3]), InvalidData, "input 1 must be a set"),
        (lambda: SetIntersection()([[[1], [2]]]), InvalidData, "input 0 must be a set"),
        (lambda: SetIntersection()([set(range(2000))]), InvalidData, "share 2000 elements"),
        (lambda: SetIntersection().diagonal([set(range(2000))]), InvalidData, "2000 elements"),
        (lambda: Spectrum()([]), InvalidData, "empty"),
        (lambda: Spectrum()("one word"), InvalidData, "list or an array of inputs"),
        (lambda: Spectrum()(["word", 3]), InvalidData, "input 1 must be a string"),
        (lambda: Subsequence()(["word", None]), InvalidData, "input 1 must be a string"),
        (lambda: Spectrum(0), InvalidParameter, "length=…. must be a whole number ≥ 1"),
        (lambda: Subsequence(2.5), InvalidParameter, "whole number"),
        (lambda: Subsequence(2, 0.0), InvalidParameter, "decay"),
        (lambda: Subsequence(2, 1.5), InvalidParameter, "decay"),
        (lambda: HiddenMarkov([0.5, 0.6], MOVES, EMISSION), InvalidParameter, "must sum to 1; it sums to 1.1"),
        (lambda: HiddenMarkov(START, MOVES[:2], EMISSION), InvalidParameter, "transition must be 3 × 3"),
        (lambda: HiddenMarkov(START, MOVES, EMISSION[:2]), InvalidParameter, "a row for each of 3 states"),
        (lambda: HiddenMarkov(START, MOVES, EMISSION, symbols="abc"), InvalidParameter, "name 2 columns"),
        (lambda: HiddenMarkov(START, MOVES, EMISSION)([[0, 7]]), InvalidData, "the symbol 7"),
        (lambda: HiddenMarkov(START, MOVES, EMISSION)([[0], []]), InvalidData, "at least one symbol"),
        (lambda: HiddenMarkov(START, MOVES, EMISSION)([3]), InvalidData, "input 0 must be a sequence"),
        (lambda: Gaussian()(["word"]), InvalidData, "rows of numbers"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
