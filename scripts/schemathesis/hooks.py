# What the OpenAPI document cannot say: which parameters exclude each other, and texts that are not regular.
import schemathesis
from hypothesis import strategies as st

EXCLUDING = [
    ("ledger_version", "at"),
    ("limit", "points"),
    # In the right order only, which depends on the ledger where one is a version and the other a time.
    ("from", "to"),
    ("from", "start"),
    ("start", "to"),
    ("start", "ledger_version"),
    ("start", "at"),
]

addresses = st.from_regex(r"0x[0-9a-f]{1,64}", fullmatch=True)
names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
structs = st.builds("{}::{}::{}".format, addresses, names, names)
types = st.one_of(st.sampled_from(["u8", "address", "vector<u8>"]), structs)
generics = st.builds(lambda struct, args: f"{struct}<{', '.join(args)}>", structs, st.lists(types, min_size=1, max_size=3))

schemathesis.openapi.format("asset-type", st.one_of(addresses, structs, generics))
schemathesis.openapi.format("struct-type", st.one_of(structs, generics))
schemathesis.openapi.format("move-type", types)


# Most versions to wait for never come, so a run would mostly wait.
LONGEST_WAIT_MS = 100
MAX_WAIT_MS = 30_000


@schemathesis.hook
def map_query(context, query):
    wait = query.get("wait_ms") if isinstance(query, dict) else None
    if isinstance(wait, int) and LONGEST_WAIT_MS < wait <= MAX_WAIT_MS:
        query["wait_ms"] = LONGEST_WAIT_MS
    return query


@schemathesis.hook
def filter_case(context, case):
    query = case.query if isinstance(case.query, dict) else {}
    body = case.body if isinstance(case.body, dict) else {}
    given = [name for name in [*query, *body] if name]
    if len(given) != len(set(given)):
        return False
    # To wait is for a version.
    if "wait_ms" in given and "min_ledger_version" not in given:
        return False
    return not any(one in given and other in given for one, other in EXCLUDING)
