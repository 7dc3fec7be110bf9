"""Checks files of proofs (BCS, JSON, lists, statements, also in gzip), written from docs/appendix/bundles.md and the
chain's formats alone: no line of the node's own verifier is used here. Needs blspy for the signatures.

    verify_bundle.py WAYPOINT FILE...            says what each file proves
    verify_bundle.py --mutants N WAYPOINT FILE   changes the file in N ways, and exits with 1 if a changed file holds
"""

import gzip
import hashlib
import json
import random
import re
import sys
import zlib
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from blspy import G1Element, G2Element, PopSchemeMPL


class Reject(Exception):
    """The reason against a file."""


def need(condition, reason):
    if not condition:
        raise Reject(reason)


# Hashes

def sha3(data):
    return hashlib.sha3_256(data).digest()


@lru_cache
def seed(name):
    return sha3(b"APTOS::" + name)


def salted(name, data):
    return sha3(seed(name) + data)


EMPTY_SUBTREE = b"SPARSE_MERKLE_PLACEHOLDER_HASH".ljust(32, b"\0")


def leaf_hash(key_hash, value_hash):
    return salted(b"SparseMerkleLeafNode", key_hash + value_hash)


def inner_hash(left, right):
    return salted(b"SparseMerkleInternal", left + right)


# BCS

class Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        need(count <= len(self.data) - self.at, "the bytes end too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def u16(self):
        return self.number(2)

    def u64(self):
        return self.number(8)

    def uleb(self):
        value = 0
        for shift in range(0, 35, 7):
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                need(byte != 0 or shift == 0, "a length is not in its shortest form")
                need(value < 1 << 32, "a length has more than 32 bits")
                return value
        raise Reject("a length has more than 32 bits")

    def bytes(self):
        return self.take(self.uleb())

    def text(self):
        try:
            return self.bytes().decode("utf-8")
        except UnicodeDecodeError:
            raise Reject("a text is not UTF-8")

    def hash(self):
        return self.take(32)

    def flag(self):
        value = self.take(1)[0]
        need(value < 2, "a flag is neither 0 nor 1")
        return value == 1

    def option(self, read):
        return read() if self.flag() else None

    def vector(self, read, most=None):
        count = self.uleb()
        need(most is None or count <= most, "more items than a bundle may have")
        return [read() for _ in range(count)]

    def span(self, read):
        start = self.at
        value = read()
        return value, self.data[start : self.at]

    def end(self):
        need(self.at == len(self.data), "bytes are left over")


def whole(data, read):
    reader = Reader(data)
    value = read(reader)
    reader.end()
    return value


# Ledger infos and signatures

def read_epoch_state(r):
    return {"epoch": r.u64(), "voters": r.vector(lambda: (r.hash(), r.bytes(), r.u64()), 65536)}


def read_preimage(r):
    return {
        "epoch": r.u64(),
        "root": r.hash(),
        "version": r.u64(),
        "time": r.u64(),
        "next": r.option(lambda: read_epoch_state(r)),
    }


def read_ledger_info(r):
    epoch, _round, _id, root, version, time = r.u64(), r.u64(), r.hash(), r.hash(), r.u64(), r.u64()
    after = r.option(lambda: read_epoch_state(r))
    r.hash()
    return {"epoch": epoch, "root": root, "version": version, "time": time, "next": after}


def read_signed(r):
    need(r.uleb() == 0, "an unknown signed ledger info")
    info, message = r.span(lambda: read_ledger_info(r))
    return {"info": info, "message": seed(b"LedgerInfo") + message, "mask": r.bytes(), "signature": r.option(r.bytes)}


known_signatures = {}


def is_signed_by(keys, message, signature):
    """Each check is done once: that of a changed bundle often comes again."""
    name = sha3(b"".join(keys) + message + signature)
    if name not in known_signatures:
        try:
            points = [G1Element.from_bytes(key) for key in keys]
            known = PopSchemeMPL.fast_aggregate_verify(points, message, G2Element.from_bytes(signature))
        except (ValueError, RuntimeError):
            known = False
        known_signatures[name] = known
    return known_signatures[name]


def check_signed(signed, validators):
    info, voters, mask = signed["info"], validators["voters"], signed["mask"]
    need(info["epoch"] == validators["epoch"], "signed in another epoch")
    need(len(mask) == (len(voters) + 7) // 8, "the mask of signers has another length")
    signers = [i for i in range(8 * len(mask)) if mask[i >> 3] & (0x80 >> (i & 7))]
    need(all(i < len(voters) for i in signers), "a signer that is no validator")
    power = sum(voters[i][2] for i in signers)
    need(power >= 2 * sum(voter[2] for voter in voters) // 3 + 1, "too few signers")
    signature = signed["signature"]
    need(signature is not None and len(signature) == 96, "no signature")
    keys = [voters[i][1] for i in signers]
    need(all(len(key) == 48 for key in keys), "a key of another length")
    need(is_signed_by(keys, signed["message"], signature), "the signature is wrong")


def check_named(waypoint, info):
    preimage = info["epoch"].to_bytes(8, "little") + info["root"]
    preimage += info["version"].to_bytes(8, "little") + info["time"].to_bytes(8, "little")
    preimage += b"\0" if info["next"] is None else b"\1" + epoch_state_bytes(info["next"])
    own = f'{info["version"]}:{salted(b"Ledger2WaypointConverter", preimage).hex()}'
    need(own == waypoint, f"begins at {own}, not at the waypoint")


def uleb_bytes(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def epoch_state_bytes(state):
    out = state["epoch"].to_bytes(8, "little") + uleb_bytes(len(state["voters"]))
    for address, key, power in state["voters"]:
        out += address + uleb_bytes(len(key)) + key + power.to_bytes(8, "little")
    return out


def next_validators(info):
    need(info["next"] is not None, "not the end of an epoch")
    need(info["next"]["epoch"] == info["epoch"] + 1, "an epoch is left out")
    return info["next"]


def read_ledger(r):
    kind = r.uleb()
    if kind == 0:
        return {"named": read_preimage(r)}
    if kind == 2:
        return {"above": True}
    need(kind == 1, "an unknown ledger")
    return {"start": read_preimage(r), "changes": r.vector(lambda: read_signed(r), 1000), "last": read_signed(r)}


class Ledger(NamedTuple):
    root: bytes
    version: int


def check_ledger(ledger, waypoint, above):
    if "above" in ledger:
        need(above is not None, "no bundle before, which has the ledger")
        return above
    if "named" in ledger:
        check_named(waypoint, ledger["named"])
        return Ledger(ledger["named"]["root"], ledger["named"]["version"])
    start = ledger["start"]
    check_named(waypoint, start)
    validators, version = next_validators(start), start["version"]
    for change in ledger["changes"]:
        need(change["info"]["version"] > version, "not after the epoch before")
        check_signed(change, validators)
        validators, version = next_validators(change["info"]), change["info"]["version"]
    last = ledger["last"]
    need(last["info"]["version"] > version, "not after the epoch before")
    check_signed(last, validators)
    return Ledger(last["info"]["root"], last["info"]["version"])


# Points: versions of the ledger

def read_info(r):
    kind = r.uleb()
    need(kind < 2, "a transaction info of an unknown kind")
    gas, status = r.u64(), read_execution_status(r)
    info = {"gas": gas, "success": status == 0, "transaction": r.hash(), "events": r.hash()}
    r.hash()
    info["state"] = r.option(r.hash)
    for _ in range(10 if kind == 1 else 1):
        r.option(r.hash)
    return info


def read_execution_status(r):
    """Success, out of gas, abort, failure, other."""
    kind = r.uleb()
    if kind == 2:
        read_location(r)
        r.u64()
        r.option(lambda: (r.text(), r.text()))
    elif kind == 3:
        read_location(r)
        r.u16()
        r.u16()
    elif kind == 4:
        r.option(r.u64)
    else:
        need(kind < 2, "a status of an unknown kind")
    return kind


def read_location(r):
    kind = r.uleb()
    need(kind < 2, "a location of an unknown kind")
    return (r.hash(), r.text()) if kind == 0 else None


def read_point(r):
    version = r.u64()
    info, info_bytes = r.span(lambda: read_info(r))
    point = {"version": version, "info": info, "leaf": salted(b"TransactionInfo", info_bytes)}
    point["siblings"] = r.vector(r.hash, 64)
    point["transaction"] = r.option(r.bytes)
    point["event_siblings"] = r.option(lambda: r.vector(r.hash, 64))
    point["state"] = r.option(lambda: (r.vector(lambda: r.option(r.bytes), 3001), r.bytes(), r.vector(r.hash)))
    return point


def fold(name, siblings, index, node):
    for sibling in siblings:
        node = salted(name, sibling + node if index & 1 else node + sibling)
        index >>= 1
    need(index == 0, "too few siblings")
    return node


def check_point(point, ledger):
    version, last = point["version"], ledger.version
    need(version <= last, "a version that nobody signed")
    need(len(point["siblings"]) == last.bit_length(), "another number of siblings")
    need(fold(b"TransactionAccumulator", point["siblings"], version, point["leaf"]) == ledger.root, "not in the ledger")
    if point["transaction"] is not None:
        need(salted(b"Transaction", point["transaction"]) == point["info"]["transaction"], "another transaction")


def parts_of(point):
    return {part for part in ("transaction", "event_siblings", "state") if point[part] is not None}


def block_time(transaction):
    """Time of the block that a transaction begins; None for another transaction."""
    r = Reader(transaction)
    kind = r.uleb()
    if kind == 5:
        need(r.uleb() < 4, "block metadata of an unknown kind")
    elif kind != 2:
        return None
    r.hash(), r.u64(), r.u64(), r.hash(), r.bytes(), r.vector(lambda: r.number(4))
    return r.u64()


# State

def bit(key, depth):
    return key[depth >> 3] >> (7 - (depth & 7)) & 1


def check_items(point, keys):
    """The values of key hashes, which are sorted, under the state root of a point."""
    values, nodes, hashes = point["state"]
    need(len(values) == len(keys), "another number of items")
    left_nodes, left_hashes = list(nodes)[::-1], hashes[::-1]

    def pop(items):
        need(items, "the walk is too short")
        return items.pop()

    def same_prefix(a, b, depth):
        return all(bit(a, i) == bit(b, i) for i in range(depth))

    def visit(first, end, depth):
        kind, present = pop(left_nodes), [i for i in range(first, end) if values[i] is not None]
        if kind == 0 and depth < 256:
            middle = next((i for i in range(first, end) if bit(keys[i], depth)), end)
            left = visit(first, middle, depth + 1) if first < middle else pop(left_hashes)
            right = visit(middle, end, depth + 1) if middle < end else pop(left_hashes)
            return inner_hash(left, right)
        if kind == 1:
            need(not present, "an item where the tree is empty")
            return EMPTY_SUBTREE
        if kind == 2:
            need(len(present) == 1, "a leaf of no item, or of several")
            value = values[present[0]]
            state_value_data(value)
            return leaf_hash(keys[present[0]], salted(b"StateValue", value))
        need(kind == 3, "a node of no kind")
        key, value_hash = pop(left_hashes), pop(left_hashes)
        need(not present and key not in keys[first:end], "an item in the place of another leaf")
        need(same_prefix(key, keys[first], depth), "a leaf that lies elsewhere")
        return leaf_hash(key, value_hash)

    root = visit(0, len(keys), 0)
    need(not left_nodes and not left_hashes, "the walk is too long")
    need(root == point["info"]["state"], "not the items under the state root")
    return dict(zip(keys, values))


def state_value_data(value):
    r = Reader(value)
    kind = r.uleb()
    need(kind < 2, "a state value of an unknown kind")
    data = r.bytes()
    if kind == 1:
        form = r.uleb()
        need(form < 2, "metadata of an unknown kind")
        r.u64()
        need(form == 0 or r.u64() != 0, "metadata in another form")
        r.u64()
    r.end()
    return data


TYPE = re.compile(r"0x(?:0|[1-9a-f][0-9a-f]{0,63})(?![0-9a-f])|[A-Za-z_][A-Za-z0-9_]*|::|[<>]|, ")
PRIMITIVES = {"bool": 0, "u8": 1, "u64": 2, "u128": 3, "address": 4, "signer": 5, "u16": 8, "u32": 9, "u256": 10}


def address_of(text):
    return bytes.fromhex(text[2:].rjust(64, "0"))


def text_bytes(text):
    return uleb_bytes(len(text.encode())) + text.encode()


def struct_tag(text):
    """BCS of a struct's type from its text, which has one spelling."""
    tokens = TYPE.findall(text)
    need("".join(tokens) == text, "not a type in its one spelling")
    tokens.reverse()

    def take(token):
        need(tokens and tokens.pop() == token, "not a type")

    def struct():
        need(tokens and tokens[-1].startswith("0x"), "not a struct's type")
        address = address_of(tokens.pop())
        names = []
        for _ in range(2):
            take("::")
            need(bool(tokens), "not a type")
            names.append(tokens.pop())
        args = []
        if tokens and tokens[-1] == "<":
            tokens.pop()
            args.append(type_tag())
            while tokens and tokens[-1] == ", ":
                tokens.pop()
                args.append(type_tag())
            take(">")
        return address + b"".join(map(text_bytes, names)) + uleb_bytes(len(args)) + b"".join(args)

    def type_tag():
        need(bool(tokens), "not a type")
        if tokens[-1] == "vector":
            tokens.pop()
            take("<")
            inner = type_tag()
            take(">")
            return b"\6" + inner
        if tokens[-1] in PRIMITIVES:
            return bytes([PRIMITIVES[tokens.pop()]])
        return b"\7" + struct()

    tag = struct()
    need(not tokens, "not a type")
    return tag


def key_hash(address, path):
    return salted(b"StateKey", b"\0" + address + uleb_bytes(len(path)) + path)


def resource_key(address, tag):
    return key_hash(address, b"\1" + tag)


def group_key(address, tag):
    return key_hash(address, b"\2" + tag)


FRAMEWORK = address_of("0x1")
TIME_KEY = resource_key(FRAMEWORK, struct_tag("0x1::timestamp::CurrentTimeMicroseconds"))
OBJECT_GROUP = struct_tag("0x1::object::ObjectGroup")
ACCOUNT = struct_tag("0x1::account::Account")
APT, APT_METADATA = "0x1::aptos_coin::AptosCoin", address_of("0xa")


def skip_struct_tag(r):
    r.hash(), r.text(), r.text(), r.vector(lambda: skip_type_tag(r))


def skip_type_tag(r):
    kind = r.uleb()
    if kind == 6:
        skip_type_tag(r)
    elif kind == 7:
        skip_struct_tag(r)
    else:
        need(kind in PRIMITIVES.values(), "a type of an unknown kind")


def group_members(data):
    """The members of a resource group by the BCS of their types."""
    return dict(whole(data, lambda r: r.vector(lambda: (r.span(lambda: skip_struct_tag(r))[1], r.bytes()))))


class State:
    """Answers with the items of a point, which a claim asks for by their keys; first it only learns which."""

    def __init__(self):
        self.asked = {TIME_KEY}
        self.values = None

    def data(self, key):
        if self.values is None:
            self.asked.add(key)
            return None
        value = self.values[key]
        return None if value is None else state_value_data(value)

    def open(self, point):
        self.values = check_items(point, sorted(self.asked))

    def time(self):
        data = self.data(TIME_KEY)
        need(data is not None and len(data) == 8, "the state has no time")
        return int.from_bytes(data, "little")


def is_address(text):
    return re.fullmatch(r"0x(0|[1-9a-f][0-9a-f]{0,63})", text) is not None


def metadata_of(asset):
    if is_address(asset):
        return address_of(asset)
    return APT_METADATA if asset == APT else sha3(APT_METADATA + asset.encode() + b"\xfe")


def primary_store(owner, metadata):
    return sha3(owner + metadata + b"\xfc")


def coin_store(state, owner, asset):
    return None if is_address(asset) else state.data(resource_key(owner, struct_tag(f"0x1::coin::CoinStore<{asset}>")))


def balance(state, owner, asset):
    store = coin_store(state, owner, asset)
    coin = 0 if store is None else int.from_bytes(store[:8], "little")
    group = state.data(group_key(primary_store(owner, metadata_of(asset)), OBJECT_GROUP))
    if group is None:
        return coin
    try:
        members = group_members(group)
    except Reject:
        return coin
    store = members.get(struct_tag("0x1::fungible_asset::FungibleStore"))
    concurrent = members.get(struct_tag("0x1::fungible_asset::ConcurrentFungibleBalance"))
    if store is None:
        return coin
    held = int.from_bytes(store[32:40], "little")
    if held == 0 and concurrent is not None:
        held = int.from_bytes(concurrent[:8], "little")
    return coin + held


# Claims

def read_claim(r):
    def type_text():
        text = r.text()
        need(len(text) <= 32768, "a type that is too long")
        return text

    kind = r.uleb()
    if kind == 0:
        amounts = lambda: r.vector(lambda: (r.u16(), r.u64()), 1000)
        return {
            "kind": "balances",
            "assets": r.vector(type_text, 1000),
            "accounts": r.vector(lambda: (r.hash(), amounts()), 1000),
            "has_keys": r.flag(),
        }
    if kind == 1:
        return {"kind": "table_item", "handle": r.hash(), "key": r.bytes()}
    if kind == 2:
        return {"kind": "resource", "address": r.hash(), "type": type_text(), "group": r.option(type_text)}
    if kind == 3:
        return {"kind": "module", "address": r.hash(), "name": r.text()}
    if kind == 4:
        return {"kind": "transaction", "version": r.u64(), "hash": r.hash(), "time": r.option(r.u64)}
    need(kind == 5, "a claim of an unknown kind")
    head = {"kind": "event", "version": r.u64(), "index": r.u64(), "event": r.bytes()}
    return {**head, "store": r.option(lambda: (r.hash(), r.hash())), "time": r.option(r.u64)}


def is_rising(items):
    return all(a < b for a, b in zip(items, items[1:]))


def state_statement(claim, state):
    """What a claim about the state says by the items; asked once without them, for their keys."""
    is_known = state.values is not None
    kind = claim["kind"]
    if kind == "balances":
        assets, accounts = claim["assets"], claim["accounts"]
        need(is_rising(assets) and is_rising([address for address, _ in accounts]), "not in ascending order")
        totals, rows = {}, []
        for address, amounts in accounts:
            need(amounts and is_rising([place for place, _ in amounts]), "not in ascending order")
            for place, amount in amounts:
                need(place < len(assets), "an asset that is not listed")
                held = balance(state, address, assets[place])
                need(not is_known or held == amount, f"0x{address.hex()} has {held} of {assets[place]}, not {amount}")
                totals[assets[place]] = totals.get(assets[place], 0) + amount
                rows.append([f"0x{address.hex()}", assets[place], str(amount)])
            if claim["has_keys"]:
                account = state.data(resource_key(address, ACCOUNT))
                rows[-1].append((address if account is None else Reader(account).bytes()).hex())
        need(len(totals) == len(assets), "an asset of nobody")
        need(len(rows) <= 1000, "more balances than a bundle may have")
        return {"balances": rows, "totals": totals}
    if kind == "table_item":
        data = state.data(salted(b"StateKey", b"\1" + claim["handle"] + claim["key"]))
    elif kind == "module":
        need(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*|_[A-Za-z0-9_]+", claim["name"]), "not the name of a module")
        data = state.data(key_hash(claim["address"], b"\0" + claim["address"] + text_bytes(claim["name"])))
    elif claim["group"] is None:
        data = state.data(resource_key(claim["address"], struct_tag(claim["type"])))
    else:
        group = state.data(group_key(claim["address"], struct_tag(claim["group"])))
        data = None if group is None else group_members(group).get(struct_tag(claim["type"]))
    return {"value": None if data is None else data.hex()}


def check_state(claim, points):
    """What the claim says, and the state."""
    need(1 <= len(points) <= 2 and parts_of(points[0]) == {"state"}, "other parts than the claim needs")
    need(points[0]["info"]["state"] is not None, "not the end of a block")
    state, after = State(), None
    state_statement(claim, state)
    state.open(points[0])
    statement = state_statement(claim, state)
    time = state.time()
    if len(points) == 2:
        need(parts_of(points[1]) == {"transaction"}, "other parts than the claim needs")
        after = block_time(points[1]["transaction"])
        need(points[1]["version"] == points[0]["version"] + 1 and after is not None, "not the next block")
    return {**statement, "version": points[0]["version"], "time": time, "next": after}, state


def check_transaction(claim, points):
    """What the claim says, and the point of its version."""
    own = [point for point in points if point["version"] == claim["version"]]
    need(len(own) == 1, "other versions than the claim needs")
    [point] = own
    needed = {"transaction"} | ({"event_siblings"} if claim["kind"] == "event" else set())
    need(point["transaction"] is not None, "other parts than the claim needs")
    if claim["time"] is None or block_time(point["transaction"]) is not None:
        need(points == [point] and parts_of(point) == needed, "other parts than the claim needs")
        need(claim["time"] in (None, block_time(point["transaction"])), "another time")
    else:
        is_end = point["info"]["state"] is not None
        expected = [{"transaction"}, needed | {"state"}] if is_end else [{"transaction"}, needed, {"state"}]
        need([parts_of(one) for one in points] == expected and points[1] is point, "other parts than the claim needs")
        need(points[-1]["info"]["state"] is not None, "not the end of a block")
        state = State()
        state.open(points[-1])
        need(block_time(points[0]["transaction"]) == claim["time"] == state.time(), "another time")
    statement = {"version": claim["version"], "time": claim["time"], "success": point["info"]["success"]}
    if claim["kind"] == "transaction":
        need(claim["hash"] == point["info"]["transaction"], "another transaction")
        return {**statement, "hash": claim["hash"].hex()}, point
    leaf = salted(b"ContractEvent", claim["event"])
    root = fold(b"EventAccumulator", point["event_siblings"], claim["index"], leaf)
    need(root == point["info"]["events"], "no such event")
    return {**statement, "index": claim["index"], "event": claim["event"].hex(), **deposit(claim)}, point


def deposit(claim):
    if claim["store"] is None:
        return {}
    owner, metadata = claim["store"]
    origin, tag, data = read_event(claim["event"])
    need(origin is None and tag == STORE_EVENTS["deposits"], "not a deposit into a store")
    store, amount = whole(data, lambda r: (r.hash(), r.u64()))
    need(store == primary_store(owner, metadata), "the store of another account or asset")
    return {"account": owner.hex(), "metadata": metadata.hex(), "amount": str(amount)}


def read_event(event):
    """Creation number and account of an event of variant 00, else None; the BCS of the type; the data."""

    def read(r):
        kind = r.uleb()
        need(kind < 2, "an event of an unknown kind")
        origin = (r.u64(), r.hash(), r.u64())[:2] if kind == 0 else None
        return origin, r.span(lambda: skip_type_tag(r))[1], r.bytes()

    return whole(event, read)


class Bundle(NamedTuple):
    claim: dict
    says: dict
    # The state of a claim about it, else the point of the claim's version.
    evidence: object
    ledger: Ledger


def check_bundle(data, waypoint, above=None):
    r = Reader(data)
    need(r.uleb() == 0, "a bundle of an unknown kind")
    claim, claim_bytes = r.span(lambda: read_claim(r))
    need(r.hash() == sha3(claim_bytes), "the claim was changed")
    points, ledger = r.vector(lambda: read_point(r), 3), read_ledger(r)
    r.end()
    signed = check_ledger(ledger, waypoint, above)
    for point in points:
        check_point(point, signed)
    need(is_rising([point["version"] for point in points]), "the versions are not in ascending order")
    check = check_transaction if claim["kind"] in ("transaction", "event") else check_state
    says, evidence = check(claim, points)
    return Bundle(claim, {"kind": claim["kind"], **says, "signed": signed.version}, evidence, signed)


# JSON: a form turns a parsed value into BCS, or refuses it

def text_form(value):
    need(type(value) is str, "not a text")
    return text_bytes(value)


def u16_form(value):
    need(type(value) is int and 0 <= value < 1 << 16, "not a u16")
    return value.to_bytes(2, "little")


def u64_form(value):
    need(type(value) is str and re.fullmatch("0|[1-9][0-9]{0,19}", value) and int(value) < 1 << 64, "not a u64")
    return int(value).to_bytes(8, "little")


def flag_form(value):
    need(type(value) is bool, "not a flag")
    return bytes([value])


def address_form(value):
    need(type(value) is str and is_address(value), "not an address")
    return address_of(value)


def hex_form(value):
    need(type(value) is str and re.fullmatch("0x([0-9a-f]{2})*", value), "not hex")
    return bytes.fromhex(value[2:])


def bytes_form(value):
    data = hex_form(value)
    return uleb_bytes(len(data)) + data


def hash_form(value):
    data = hex_form(value)
    need(len(data) == 32, "not a hash")
    return data


def whole_form(read):
    """Hex of a value that has no length in BCS: it must not reach into what follows."""

    def form(value):
        data = hex_form(value)
        whole(data, read)
        return data

    return form


def option_form(inner):
    return lambda value: b"\0" if value is None else b"\1" + inner(value)


def list_form(inner):
    def form(value):
        need(type(value) is list, "not a list")
        return uleb_bytes(len(value)) + b"".join(map(inner, value))

    return form


def record_form(**forms):
    def form(value):
        need(type(value) is dict and list(value) == list(forms), "other members, or in another order")
        return b"".join(forms[name](member) for name, member in value.items())

    return form


def enum_form(**variants):
    def form(value):
        need(type(value) is dict and value.get("type") in variants, "an unknown type")
        name = value["type"]
        return bytes([list(variants).index(name)]) + record_form(type=lambda _: b"", **variants[name])(value)

    return form


BUNDLE_FORM = record_form(
    claim=enum_form(
        balances=dict(
            asset_types=list_form(text_form),
            accounts=list_form(
                record_form(address=address_form, balances=list_form(record_form(asset=u16_form, balance=u64_form)))
            ),
            authentication_keys=flag_form,
        ),
        table_item=dict(table_handle=address_form, key=bytes_form),
        resource=dict(address=address_form, resource_type=text_form, group_type=option_form(text_form)),
        module=dict(address=address_form, module_name=text_form),
        transaction=dict(version=u64_form, hash=hash_form, timestamp_usec=option_form(u64_form)),
        event=dict(
            version=u64_form,
            index=u64_form,
            event=bytes_form,
            store=option_form(record_form(owner=address_form, metadata=address_form)),
            timestamp_usec=option_form(u64_form),
        ),
    ),
    claim_hash=hash_form,
    points=list_form(
        record_form(
            version=u64_form,
            transaction_info=whole_form(read_info),
            accumulator_siblings=list_form(hash_form),
            transaction=option_form(bytes_form),
            event_siblings=option_form(list_form(hash_form)),
            state=option_form(
                record_form(values=list_form(option_form(bytes_form)), nodes=bytes_form, hashes=list_form(hash_form))
            ),
        )
    ),
    ledger=enum_form(
        named=dict(ledger_info=whole_form(read_preimage)),
        signed=dict(
            start=whole_form(read_preimage),
            epoch_changes=list_form(whole_form(read_signed)),
            last=whole_form(read_signed),
        ),
        above={},
    ),
)
STATEMENT_FORM = record_form(statement=record_form(from_usec=u64_form, to_usec=u64_form), statement_hash=hash_form)


def json_to_bcs(line, form):
    try:
        text = line.decode("utf-8")
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Reject("not JSON")
    # Also finds members twice, white space, and other spellings of a text or a number.
    need(json.dumps(value, separators=(",", ":"), ensure_ascii=False) == text, "JSON in another spelling")
    return form(value)


@lru_cache(maxsize=256)
def check_line(line, waypoint, above):
    return check_bundle(b"\0" + json_to_bcs(line, BUNDLE_FORM), waypoint, above)


# Statements

DIRECTIONS = {"deposits": "Deposit", "withdrawals": "Withdraw"}
STORE_EVENTS = {way: b"\7" + struct_tag(f"0x1::fungible_asset::{name}") for way, name in DIRECTIONS.items()}
FEE_STATEMENT = b"\7" + struct_tag("0x1::transaction_fee::FeeStatement")


def read_statement(line):
    data = json_to_bcs(line, STATEMENT_FORM)
    need(data[16:] == sha3(data[:16]), "the period was changed")
    start, end = int.from_bytes(data[:8], "little"), int.from_bytes(data[8:16], "little")
    need(start < end, "the period ends before it begins")
    return start, end


def read_user_transaction(r):
    """Gas price, and who pays the fee."""
    need(r.uleb() == 0, "not a user's transaction")
    payer = r.hash()
    r.u64(), read_payload(r), r.u64()
    price = r.u64()
    r.u64(), r.take(1)
    kind = r.uleb()
    need(kind < 5, "an authenticator of an unknown kind")
    if kind == 3:
        read_authenticator(r), r.vector(r.hash), r.vector(lambda: read_authenticator(r))
        payer = r.hash()
    return price, payer


def read_variant(r, *readers):
    kind = r.uleb()
    need(kind < len(readers) and readers[kind] is not None, "a payload of a kind that is not read here")
    readers[kind](r)


def read_payload(r):
    read_variant(r, read_script, None, read_function, read_multisig, read_configured)


def read_script(r):
    r.bytes(), r.vector(lambda: skip_type_tag(r)), r.vector(lambda: read_variant(r, *SCRIPT_ARGUMENTS))


def read_function(r):
    r.hash(), r.text(), r.text(), r.vector(lambda: skip_type_tag(r)), r.vector(r.bytes)


def read_multisig(r):
    r.hash(), r.option(lambda: read_variant(r, read_function))


def read_configured(r):
    need(r.uleb() == 0, "a payload of an unknown kind")
    read_variant(r, read_script, read_function, lambda _: None)
    need(r.uleb() == 0, "a payload of an unknown kind")
    r.option(r.hash), r.option(r.u64)


def sized(size):
    return lambda r: r.take(size)


SCRIPT_ARGUMENTS = [*map(sized, (1, 8, 16, 32)), Reader.bytes, *map(sized, (1, 2, 4, 32)), Reader.bytes]


def read_authenticator(r):
    """Of one account: Ed25519, several of them, one key of any kind, several of these."""

    def any_key():
        need(r.uleb() < 2, "a key of a kind that is not read here")
        return r.bytes()

    kind = r.uleb()
    need(kind < 4, "a signature of a kind that is not read here")
    if kind < 2:
        r.bytes(), r.bytes()
    elif kind == 2:
        any_key(), any_key()
    else:
        r.vector(any_key), r.take(1), r.vector(any_key), r.bytes()


def fee(point, owner, asset, refund):
    need(metadata_of(asset) == APT_METADATA, "a fee in another asset")
    price, payer = read_user_transaction(Reader(point["transaction"]))
    need(payer == owner, "a fee of another account")
    return point["info"]["gas"] * price - refund


def read_receipt(bundle, owner, asset, handles):
    """Which sum a receipt adds to, its amount, and for a coin event whether it is of variant 00."""
    if bundle.claim["kind"] == "transaction":
        return "fees", fee(bundle.evidence, owner, asset, 0), None
    origin, tag, data = read_event(bundle.claim["event"])
    if origin is None and tag == FEE_STATEMENT:
        numbers = whole(data, lambda r: [r.u64() for _ in range(5)])
        return "fees", fee(bundle.evidence, owner, asset, numbers[-1]), None
    for way, name in DIRECTIONS.items():
        if origin is not None:
            if tag == b"\7" + struct_tag(f"0x1::coin::{name}Event"):
                need(origin in handles[way], "an event of another account or coin")
                return way, whole(data, lambda r: r.u64()), True
        elif tag == STORE_EVENTS[way]:
            store, amount = whole(data, lambda r: (r.hash(), r.u64()))
            need(store == primary_store(owner, metadata_of(asset)), "an event of another account or asset")
            return way, amount, None
        elif tag == b"\7" + struct_tag(f"0x1::coin::Coin{name}"):
            coin, account, amount = whole(data, lambda r: (r.text(), r.hash(), r.u64()))
            need((coin, account) == (asset, owner), "an event of another account or coin")
            return way, amount, False
        elif not is_address(asset) and tag == b"\7" + struct_tag(f"0x1::coin::{name}<{asset}>"):
            account, amount = whole(data, lambda r: (r.hash(), r.u64()))
            need(account == owner, "an event of another account")
            return way, amount, False
    raise Reject("an event that is no receipt")


def event_handles(bundles, owner, asset):
    """Creation numbers and accounts of the events of the coin stores in two balances."""
    handles = {way: set() for way in DIRECTIONS}
    for bundle in bundles:
        store = coin_store(bundle.evidence, owner, asset)
        if store is not None:
            r = Reader(store[9:])
            for way in DIRECTIONS:
                r.u64()
                handles[way].add((r.u64(), r.hash()))
            r.end()
    return handles


def check_statement(period, bundles):
    start, end = period
    need(len(bundles) >= 2, "a balance is missing")
    opening, closing, *receipts = bundles
    for bundle in (opening, closing):
        need(bundle.claim["kind"] == "balances" and len(bundle.says["balances"]) == 1, "not one balance")
    owner, asset = opening.claim["accounts"][0][0], opening.claim["assets"][0]
    need((owner, asset) == (closing.claim["accounts"][0][0], closing.claim["assets"][0]), "another account or asset")
    first, last = opening.says, closing.says
    need(first["next"] is not None and first["time"] < start <= first["next"], "not the last version before the period")
    after = end if last["next"] is None and last["time"] == end - 1 else last["next"]
    need(after is not None and last["time"] < end <= after, "not the last version of the period")
    need(first["version"] <= last["version"], "the closing balance is before the opening one")

    handles = event_handles((opening, closing), owner, asset)
    sums = {"deposits": 0, "withdrawals": 0, "fees": 0}
    places, paid, variants = [(first["version"], 0)], set(), {}
    for bundle in receipts:
        need(bundle.claim["kind"] in ("transaction", "event"), "not a receipt")
        version = bundle.claim["version"]
        need(first["version"] < version <= last["version"], "a receipt of another period")
        places.append((version, bundle.claim.get("index", -1)))
        way, amount, variant = read_receipt(bundle, owner, asset, handles)
        need(way != "fees" or version not in paid, "two fees of one transaction")
        if way == "fees":
            paid.add(version)
        need(variant is None or variants.setdefault(version, variant) == variant, "one change in two events")
        sums[way] += amount
    need(is_rising(places), "receipts are not in ascending order")
    opened, closed = first["totals"][asset], last["totals"][asset]
    missing = closed - opened - (sums["deposits"] - sums["withdrawals"] - sums["fees"])
    need(missing == 0, f"{missing} of {asset} has no receipt")
    amounts = {"opening": opened, **sums, "closing": closed}
    who = {"account": f"0x{owner.hex()}", "asset": asset, "from": start, "to": end, "receipts": len(receipts)}
    return {**who, **{name: str(amount) for name, amount in amounts.items()}}


def check_statements(parts):
    statements = [check_statement(period, bundles) for period, bundles in parts]
    for one, other in combinations(statements, 2):
        is_same = (one["account"], metadata_of(one["asset"])) == (other["account"], metadata_of(other["asset"]))
        is_apart = one["to"] <= other["from"] or other["to"] <= one["from"]
        need(not is_same or is_apart, "two statements of one account and asset overlap")
    return {"kind": "statements", "statements": statements}


def check_list(bundles):
    """What one bundle says, or several of balances together."""
    says = bundles[0].says
    if says["kind"] != "balances":
        need(len(bundles) == 1, "several bundles that are not all of balances")
        return says
    rows, totals, first = [], {}, bundles[0]
    for bundle in bundles:
        need(bundle.claim["kind"] == "balances", "several bundles that are not all of balances")
        need(bundle.claim["has_keys"] == first.claim["has_keys"], "authentication keys in some of the bundles")
        need(bundle.says["version"] == first.says["version"], "several versions")
        rows += bundle.says["balances"]
        for asset, total in bundle.says["totals"].items():
            totals[asset] = totals.get(asset, 0) + total
    addresses = [address for bundle in bundles for address, _ in bundle.claim["accounts"]]
    need(is_rising(addresses), "the accounts are not in ascending order")
    return {**says, "balances": rows, "totals": {asset: str(total) for asset, total in totals.items()}}


def verify(data, waypoint):
    """What a file proves to somebody who trusts the waypoint. Raises Reject."""
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            raise Reject("not in gzip")
    if data[:1] != b"{":
        return check_list([check_bundle(data, waypoint)])
    parts, above = [], None
    for line in data.removesuffix(b"\n").split(b"\n"):
        if line.startswith(b'{"statement":'):
            parts.append((read_statement(line), []))
            continue
        if not parts:
            parts.append((None, []))
        bundle = check_line(line, waypoint, above)
        above = bundle.ledger
        parts[-1][1].append(bundle)
    if parts[0][0] is None:
        need(len(parts) == 1, "a statement behind other proofs")
        return check_list(parts[0][1])
    return check_statements(parts)


def byte_mutant(draw, data):
    place = draw.randrange(len(data))
    kind = draw.randrange(4)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + bytes([draw.randrange(256)]) + data[place:]
    if kind == 2:
        return data[:place] + data[place + 1 :]
    return data[:place] + bytes([data[place] ^ (1 << draw.randrange(8))]) + data[place + 1 :]


def text_mutant(draw, data):
    """A digit changed, or lines swapped, doubled, left out, or cut; for lists and single statements. A list without its
    last lines still holds for the accounts in it, so it loses only its first line, and is cut only inside of a line."""
    lines = data.splitlines(keepends=True)
    is_list = not data.startswith(b'{"statement":')
    kind, i, j = draw.randrange(8), draw.randrange(len(lines)), draw.randrange(len(lines))
    if kind < 4:
        line = lines[i]
        place = draw.choice([m.start() for m in re.finditer(rb"[0-9a-f]", line)])
        lines[i] = line[:place] + draw.choice(b"0123456789abcdef").to_bytes(1, "big") + line[place + 1 :]
    elif kind == 4:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 5:
        lines.insert(j, lines[i])
    elif kind == 6:
        del lines[0 if is_list else i]
    else:
        lines[i:] = [lines[i][: draw.randrange(1 if is_list else 0, len(lines[i]) - 1)]]
    return b"".join(lines)


def main(arguments):
    if arguments[:1] != ["--mutants"]:
        waypoint, *files = arguments
        for file in files:
            with open(file, "rb") as opened:
                print(json.dumps(verify(opened.read(), waypoint)))
        return 0
    count, waypoint, file = int(arguments[1]), arguments[2], arguments[3]
    with open(file, "rb") as opened:
        data = opened.read()
    verify(data, waypoint)
    draw = random.Random(file)
    mutant = text_mutant if data.startswith(b"{") else byte_mutant
    refused = 0
    while refused < count:
        changed = mutant(draw, data)
        if changed == data:
            continue
        try:
            verify(changed, waypoint)
        except Reject:
            refused += 1
            continue
        print(f"a mutant holds: {changed.hex()}")
        return 1
    print(f"{count} mutants of {file} are refused")
    return 0


if __name__ == "__main__":
    sys.setrecursionlimit(5000)
    try:
        sys.exit(main(sys.argv[1:]))
    except Reject as reason:
        print(f"proves nothing: {reason}")
        sys.exit(1)
