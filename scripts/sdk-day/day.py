"""The day of the Python SDK: the URLs of the node and its faucet are the arguments."""

import asyncio
import json
import sys

from aptos_sdk.account import Account
from aptos_sdk.async_client import FaucetClient, RestClient
from aptos_sdk.transactions import EntryFunction, TransactionArgument, TransactionPayload
from aptos_sdk.bcs import Serializer

FUNDS = 1_000_000_000


async def tell(call, check):
    try:
        line = {"call": call, "ok": True, "result": await check()}
    except Exception as error:  # noqa: BLE001
        line = {"call": call, "ok": False, "result": f"{type(error).__name__}: {error}"[:400]}
    print(json.dumps(line), flush=True)


def same(what, got, expected):
    if str(got) != str(expected):
        raise AssertionError(f"{what}: expected {expected}, got {got}")
    return f"{what} {got}"


async def main(node_url, faucet_url):
    client = RestClient(node_url)
    faucet = FaucetClient(faucet_url, client)
    alice, bob, carol = Account.generate(), Account.generate(), Account.generate()
    books = {"alice": 0, "bob": 0}

    async def assert_books():
        seen = [
            same("alice", await client.account_balance(alice.address()), books["alice"]),
            same("bob", await client.account_balance(bob.address()), books["bob"]),
        ]
        return ", ".join(seen)

    async def settle(txn_hash):
        await client.wait_for_transaction(txn_hash)
        done = await client.transaction_by_hash(txn_hash)
        same("success", done["success"], True)
        books["alice"] -= int(done["gas_used"]) * int(done["gas_unit_price"])
        return done

    async def info():
        return same("chain id", await client.chain_id(), 4)

    async def fund():
        same("healthy", await faucet.healthy(), True)
        await faucet.fund_account(alice.address(), FUNDS)
        await faucet.fund_account(bob.address(), 0)
        books["alice"] = FUNDS
        return await assert_books()

    async def sequence_number():
        return same("sequence number", await client.account_sequence_number(alice.address()), 0)

    async def transfer():
        await settle(await client.bcs_transfer(alice, bob.address(), 1000))
        books["alice"] -= 1000
        books["bob"] += 1000
        return await assert_books()

    async def transfer_coins():
        coin = "0x1::aptos_coin::AptosCoin"
        await settle(await client.transfer_coins(alice, bob.address(), coin, 7))
        books["alice"] -= 7
        books["bob"] += 7
        return await assert_books()

    async def simulate():
        payload = EntryFunction.natural(
            "0x1::aptos_account",
            "transfer",
            [],
            [
                TransactionArgument(bob.address(), Serializer.struct),
                TransactionArgument(5, Serializer.u64),
            ],
        )
        raw = await client.create_bcs_transaction(alice, TransactionPayload(payload))
        [simulated] = await client.simulate_transaction(raw, alice)
        same("success", simulated["success"], True)
        return f"gas {simulated['gas_used']}; {await assert_books()}"

    async def later_sequence_number():
        account = await client.account(alice.address())
        same("account", account["sequence_number"], 2)
        return same("sequence number", await client.account_sequence_number(alice.address()), 2)

    async def resources():
        found = await client.account_resources(alice.address())
        one = await client.account_resource(alice.address(), "0x1::account::Account")
        return f"{len(found)} resources, {same('sequence number', one['data']['sequence_number'], 2)}"

    async def modules():
        abi = (await client.account_module("0x1", "coin"))["abi"]
        return same("module", abi["name"], "coin")

    async def transactions():
        sent = await client.transactions_by_account(alice.address())
        by_version = await client.transaction_by_version(int(sent[0]["version"]))
        return f"{len(sent)} transactions, {same('hash', by_version['hash'], sent[0]['hash'])}"

    async def absent():
        return same("balance", await client.account_balance(carol.address()), 0)

    await tell("info, chain_id", info)
    await tell("FaucetClient.fund_account, account_balance", fund)
    await tell("account_sequence_number", sequence_number)
    await tell("bcs_transfer, wait_for_transaction", transfer)
    await tell("transfer_coins", transfer_coins)
    await tell("simulate_transaction", simulate)
    await tell("account, account_sequence_number", later_sequence_number)
    await tell("account_resources, account_resource", resources)
    await tell("account_module", modules)
    await tell("transactions_by_account, transaction_by_version", transactions)
    await tell("account_balance of an account that is not there", absent)
    await client.close()
    await faucet.close()


asyncio.run(main(sys.argv[1], sys.argv[2]))
