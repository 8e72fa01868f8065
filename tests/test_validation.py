"""Error sentences: the parameter, what is allowed, the value, and the remedy."""

import pickle
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from rankagg import Permutation, Profile, exceptions
from rankagg import _validation as validation
from rankagg.exceptions import InvalidInputError, RankaggError
from tests.strategies import POLICIES

NAN, INF = float("nan"), float("inf")


def sentence(call, *args, **kwargs):
    """Return what the error of a call says."""
    with pytest.raises(InvalidInputError) as caught:
        call(*args, **kwargs)
    return str(caught.value)


# -- the errors -----------------------------------------------------------------------------------


def test_an_error_states_parameter_allowed_value_and_remedy():
    error = InvalidInputError("theta of Mallows", "a number in (0, inf)", -1.0, "Take the inverse.")
    assert str(error) == (
        "`theta of Mallows` must be a number in (0, inf). Got -1.0. Take the inverse."
    )
    assert error.parameter == "theta of Mallows"
    assert error.allowed == "a number in (0, inf)"
    assert error.value == -1.0
    assert error.remedy == "Take the inverse."
    assert str(InvalidInputError("k", "an integer", "two")) == "`k` must be an integer. Got 'two'."


def test_large_values_are_cut():
    words = "x" * 10_000
    for value in (list(range(999)), words, np.arange(999), {words: 1}, exceptions.Described(words)):
        assert len(str(InvalidInputError("k", "small", value))) < 300


@pytest.mark.parametrize("value", [-1.0, "two", [1, 2], exceptions.Described("nan in row 3")])
def test_errors_can_be_pickled(value):
    error = InvalidInputError("k", "an integer", value, "Round it.")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is InvalidInputError
    assert str(again) == str(error)
    assert (again.parameter, again.value, again.remedy) == ("k", value, "Round it.")


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("InvalidInputError", ValueError),
        ("ItemMismatchError", ValueError),
        ("TiedRankingError", ValueError),
        ("InformationLostError", TypeError),
        ("DataFormatError", ValueError),
        ("SolverError", RuntimeError),
        ("VerificationError", Exception),
    ],
)
def test_errors_have_one_base_class_and_builtin_ones(name, builtin):
    assert issubclass(getattr(exceptions, name), builtin)
    for each in exceptions.__all__:
        assert issubclass(getattr(exceptions, each), RankaggError | UserWarning)


# -- single values --------------------------------------------------------------------------------


def test_check_choice_gives_back_the_choice():
    assert validation.check_choice("a", ("a", "b"), "variant") == "a"
    assert validation.check_choice(2, (1, 2), "level") == 2
    assert type(validation.check_choice(np.str_("a"), ("a", "b"), "variant")) is str
    assert type(validation.check_choice(np.int64(2), (1, 2), "level")) is int
    assert list(map(validation.check_unranked, POLICIES)) == list(POLICIES)


@pytest.mark.parametrize(
    ("check", "bad", "rest", "message"),
    [
        (validation.check_choice, ["Hoefding"], [("wilson", "hoeffding"), "method"],
         "`method` must be 'wilson' or 'hoeffding'. Got {!r}. Did you mean 'hoeffding'?"),
        (validation.check_choice, ["c", "Z", None, 1, ["a"]], [("a", "b"), "variant"],
         "`variant` must be 'a' or 'b'. Got {!r}."),
        (validation.check_choice, [True, np.True_], [(1, 2), "level"],
         "`level` must be 1 or 2. Got {!r}."),
        (validation.check_unranked, ["mean", None], [],
         "`unranked` must be 'uniform' or 'ignore' or 'last'. Got {!r}."),
        (validation.check_unranked, [3], ["policy"],
         "`policy` must be 'uniform' or 'ignore' or 'last'. Got {!r}."),
        (validation.check_flag, [0, 1, "yes", None, [True]], ["flag", "Say which."],
         "`flag` must be True or False. Got {!r}. Say which."),
        (validation.check_number, [NAN, INF, -INF, "1", None, True, np.True_, 1j, [1.0]], ["p"],
         "`p` must be a number in (-inf, inf). Got {!r}."),
        (partial(validation.check_integer, low=1, high=5),
         [0, 6, 2.5, NAN, INF, "3", None, True, [3]], ["k"],
         "`k` must be an integer of at least 1 and at most 5. Got {!r}."),
        (partial(validation.check_integer, low=0), [-1], ["size"],
         "`size` must be an integer of at least 0. Got {!r}."),
        (validation.as_generator, [-1, "seed", 1.5, {}], [],
         "`rng` must be a non-negative seed or a numpy Generator. Got {!r}."),
        (validation.as_matrix, [[1, 2]], ["scores"],
         "`scores` must be two-dimensional. Got shape (2,)."),
        (validation.as_matrix, [5], ["scores"], "`scores` must be two-dimensional. Got shape ()."),
        (validation.as_matrix, [[[[1]]]], ["scores"],
         "`scores` must be two-dimensional. Got shape (1, 1, 1)."),
        (validation.as_matrix, [[[1, 2], [3, NAN]]], ["wins"],
         "`wins` must be finite numbers. Got nan in row 1, column 1."),
        (partial(validation.as_matrix, nan=True), [[[NAN, -np.inf]]], ["scores"],
         "`scores` must be finite numbers, NaN for a missing one. Got -inf in row 0, column 1."),
        *((validation.as_weights, [[1, 1, bad]], [3],
           f"`weights` must be positive finite numbers. Got {float(bad)} at position 2.")
          for bad in (0, -1, NAN, INF)),
        *((validation.as_counts, [[bad, 1]], [2],
           f"`counts` must be positive whole numbers. Got {float(bad)} at position 0. "
           "Use `weights` for fractions.")
          for bad in (0, -1, 0.5, NAN, INF)),
    ],
)  # fmt: skip
def test_bad_values_are_refused_in_the_expected_sentence(check, bad, rest, message):
    for value in bad:
        assert sentence(check, value, *rest) == message.format(value)


@pytest.mark.parametrize(
    ("check", "kind", "values"),
    [
        (validation.check_flag, bool, [True, False, np.True_, np.False_]),
        (validation.check_number, float,
         [1, 0.5, Fraction(1, 2), np.float32(0.5), np.int64(1)]),
        (partial(validation.check_integer, low=1), int, [3, 3.0, np.int32(3), np.float64(3)]),
    ],
)  # fmt: skip
def test_values_of_one_kind_are_given_back_as_one_type(check, kind, values):
    for value in values:
        found = check(value, "p")
        assert type(found) is kind
        assert found == value


@pytest.mark.parametrize(
    ("limits", "good", "bad", "interval"),
    [
        ({"low": 0}, [0, 9], [-1e-9], "[0, inf)"),
        ({"low": 0, "open_low": True}, [1e-9], [0, -1], "(0, inf)"),
        ({"low": 0, "high": 1}, [0, 0.5, 1], [-0.1, 1.1], "[0, 1]"),
        ({"low": 0, "high": 1, "open_low": True}, [0.1, 1], [0, 1.1], "(0, 1]"),
        ({"high": 2.5}, [-9, 2.5], [3], "(-inf, 2.5]"),
    ],
    ids=str,
)
def test_check_number_enforces_and_states_the_interval(limits, good, bad, interval):
    for value in good:
        assert validation.check_number(value, "x", **limits) == value
    for value in bad:
        assert sentence(validation.check_number, value, "x", **limits) == (
            f"`x` must be a number in {interval}. Got {value!r}."
        )


# -- arrays ---------------------------------------------------------------------------------------


def test_as_matrix_copies():
    given = np.array([[1.0, 2.0]])
    matrix = validation.as_matrix(given, "values")
    matrix[0, 0] = 9
    assert given.tolist() == [[1.0, 2.0]]
    assert validation.as_matrix([[1, 2]], "values").dtype == np.float64
    assert np.isnan(validation.as_matrix([[NAN, 1]], "scores", nan=True)[0, 0])


@pytest.mark.parametrize("values", [[[1], [1, 2]], [["x"]], "words", [[{}]]], ids=str)
def test_as_matrix_takes_rectangles_of_numbers(values):
    message = sentence(validation.as_matrix, values, "scores")
    allowed = "a rectangular table of numbers"
    assert message.startswith(f"`scores` must be {allowed}. Got {values!r}. NumPy: ")


def test_weights_and_counts_are_taken_as_given_and_one_by_default():
    assert validation.as_weights([0.5, 2], 2).tolist() == [0.5, 2.0]
    whole = validation.as_counts([3.0, 2], 2)
    assert (whole.tolist(), whole.dtype) == ([3, 2], np.int64)
    weights, counts = validation.as_weights(None, 3), validation.as_counts(None, 3)
    assert weights.tolist() == counts.tolist() == [1, 1, 1]
    assert (weights.dtype, counts.dtype) == (np.float64, np.int64)


@pytest.mark.parametrize("check", [validation.as_weights, validation.as_counts])
def test_numbers_must_be_one_per_ranking(check):
    assert sentence(check, [1, 2, 3], 2, "numbers") == (
        "`numbers` must be one number per ranking (2 of them). Got shape (3,)."
    )
    assert sentence(check, 1, 2, "numbers").endswith("Got shape ().")
    assert sentence(check, ["x", "y"], 2, "numbers").startswith(
        "`numbers` must be a sequence of numbers. Got ['x', 'y']. NumPy: could not convert string"
    )


# -- random numbers -------------------------------------------------------------------------------


def test_a_generator_is_used_and_a_seed_makes_a_numpy_generator():
    generator = np.random.default_rng(3)
    assert validation.as_generator(generator) is generator
    assert validation.as_generator(3).random() == np.random.default_rng(3).random()
    assert validation.as_generator(None).random() != validation.as_generator(None).random()


# -- sentences that users meet --------------------------------------------------------------------


def test_public_errors_name_the_call_and_the_remedy():
    with pytest.raises(InvalidInputError) as caught:
        Profile(["ABC"])
    assert str(caught.value) == (
        "`rankings` must be PartialRanking or Permutation objects. Got 'ABC'. "
        "`Profile.from_orders` and `Profile.from_ranks` take plain data."
    )
    with pytest.raises(InvalidInputError) as caught:
        Permutation.from_ranks([0, 1, 1], items="ABC")
    assert str(caught.value) == (
        "`ranks of Permutation` must be complete and strict. Got A > B = C. "
        "`PartialRanking` takes ties and unranked items."
    )
