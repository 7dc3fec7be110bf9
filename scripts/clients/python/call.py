# Calls every operation of a node through the client that openapi-python-client generates, and prints the id of each.
import json
import sys
from datetime import datetime, timedelta, timezone

from client import Client
from client.api.default import (
    count_table_items,
    encode_submission,
    estimate_gas_price,
    explain_submission,
    get_account,
    get_account_balance,
    get_account_module,
    get_account_modules,
    get_account_resource,
    get_account_resources,
    get_account_transaction_summaries,
    get_account_transactions,
    get_balance_detail,
    get_balance_history,
    get_balances,
    get_block_by_height,
    get_block_by_version,
    get_events_by_creation_number,
    get_events_by_event_handle,
    get_holdings,
    get_ledger_info,
    get_raw_state_value,
    get_raw_table_item,
    get_raw_table_items,
    get_table_item,
    get_table_items,
    get_transaction_by_hash,
    get_transaction_by_version,
    get_transactions,
    get_transactions_auxiliary_info,
    healthy,
    info,
    prove_account_balance,
    prove_account_module,
    prove_account_resource,
    prove_balances,
    prove_event,
    prove_raw_table_item,
    prove_transaction_by_hash,
    prove_transaction_by_version,
    ready,
    simulate_transaction,
    spec_json,
    spec_page,
    spec_yaml,
    stream_balance,
    stream_blocks,
    stream_events,
    stream_transactions,
    submit_batch_transactions,
    submit_transaction,
    trace_by_version,
    trace_transaction,
    view,
    wait_transaction_by_hash,
    watch_list,
)
from client.models import (
    Account,
    BalanceChange,
    BalancesClaim,
    BalancesProofRequest,
    BalanceDetail,
    BalanceEvent,
    BalanceQuery,
    Balances,
    BalancesRequest,
    Block,
    BlockEvent,
    CommittedTrace,
    EncodeSubmissionRequest,
    EntryFunctionPayload,
    EntryFunctionPayloadType,
    Error,
    ErrorErrorCode,
    ExplainedEntryFunction,
    ExplainEncodeRequest,
    ExplainEncodeRequestType,
    ExplainMessageRequest,
    ExplainMessageRequestType,
    GasEstimation,
    Holding,
    LedgerInfo,
    Message,
    MoveModule,
    MoveResource,
    NodeInfo,
    PendingTransaction,
    ProofBundle,
    RawStateValueRequest,
    RawTableItemRequest,
    StartEvent,
    SubmitTransactionRequest,
    TableItemClaim,
    TableItemQuery,
    TableItemRequest,
    TableItems,
    TableItemsRequest,
    TableRowCount,
    TransactionsBatchSubmissionResult,
    TransactionTrace,
    UserTransaction,
    ViewRequest,
    WatchRequest,
)

ADA = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce"
COIN = "0x1::aptos_coin::AptosCoin"
PRICES = "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815"
KEY = "0x03415054"

client = Client(base_url=sys.argv[1])


def check(operation, is_right, *args, **more):
    """Calls an operation and returns its typed answer."""
    response = operation.sync_detailed(*args, client=client, **more)
    name = operation.__name__.rsplit(".", 1)[-1]
    if response.status_code not in (200, 202) or not is_right(response):
        sys.exit(f"{name}: {response.status_code} {response.content[:300]!r} as {response.parsed!r}")
    print(name)
    return response.parsed


def typed(kind, test=lambda _: True):
    return lambda response: isinstance(response.parsed, kind) and test(response.parsed)


def first_event(operation, kind, model, is_right, *args, **more):
    """Reads the first event of a stream, which has no end, as its typed data."""
    request = operation._get_kwargs(*args, **more)
    name = operation.__name__.rsplit(".", 1)[-1]
    with client.get_httpx_client().stream(**request) as response:
        event = None
        for line in response.iter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
            elif line.startswith("data: ") and event == kind:
                data = model.from_dict(json.loads(line.removeprefix("data: ")))
                if not is_right(data):
                    sys.exit(f"{name}: {data!r}")
                print(name)
                return
    sys.exit(f"{name}: {response.status_code}, no event")


ledger = check(
    get_ledger_info, typed(LedgerInfo, lambda ledger: ledger.chain_id == 4), min_ledger_version="1", wait_ms=1000
)
version = ledger.ledger_version
moment = datetime.fromtimestamp(0, timezone.utc) + timedelta(microseconds=int(ledger.ledger_timestamp))
at = moment.isoformat()
check(healthy, typed(Message), duration_secs=3600)
check(ready, typed(Message))
check(info, typed(NodeInfo, lambda facts: facts["software"] == "sextant"))

check(
    get_account_balance,
    typed(int, lambda balance: balance > 0),
    ADA,
    COIN,
    at=at,
    min_ledger_version=version,
    wait_ms=0,
)
check(
    get_balance_detail,
    typed(BalanceDetail, lambda detail: detail.symbol == "APT"),
    ADA,
    COIN,
    ledger_version=version,
)
check(get_balance_history, typed(list, lambda changes: isinstance(changes[0], BalanceChange)), ADA, COIN, limit=2)
queries = [BalanceQuery(address=ADA, asset_type=COIN), BalanceQuery(address="?", asset_type=COIN)]
check(
    get_balances,
    typed(Balances, lambda found: found.balances[1].error.error_code == ErrorErrorCode.WEB_FRAMEWORK_ERROR),
    body=BalancesRequest(queries=queries, totals=True),
    at=at,
)

item = check(get_raw_table_item, typed(str), PRICES, body=RawTableItemRequest(key=KEY), ledger_version=version)
check(
    get_table_item,
    lambda response: response.content.strip(b'"').isdigit(),
    PRICES,
    body=TableItemRequest(key_type="0x1::string::String", value_type="u64", key="APT"),
    ledger_version=version,
)
check(
    get_raw_table_items,
    typed(TableItems, lambda found: found.items[0].value == item),
    body=TableItemsRequest(queries=[TableItemQuery(table_handle=PRICES, key=KEY)]),
    ledger_version=version,
)
check(get_holdings, typed(list, lambda holdings: isinstance(holdings[0], Holding)), ADA, limit=2, at=at)
check(get_account, typed(Account, lambda account: account.sequence_number.isdigit()), ADA)
ACCOUNT = "0x1::account::Account"
check(
    get_account_resource,
    typed(MoveResource, lambda found: found.data["sequence_number"].isdigit()),
    ADA,
    ACCOUNT,
    ledger_version=version,
)
check(
    get_account_resources,
    typed(list, lambda found: any(one.type_ == ACCOUNT for one in found)),
    ADA,
    ledger_version=version,
)
check(get_account_module, typed(MoveModule, lambda module: module.abi.name == "coin"), "0x1", "coin")
check(get_account_modules, typed(list, lambda modules: isinstance(modules[0], MoveModule)), "0x1")
check(
    get_table_items,
    typed(list, lambda rows: any(row.key == KEY and row.value == item for row in rows)),
    PRICES,
    ledger_version=version,
)
check(count_table_items, typed(TableRowCount, lambda found: found.is_complete), PRICES, ledger_version=version)
state_key = f"0x01{PRICES[2:]}04{KEY[2:]}"
check(get_raw_state_value, lambda response: len(response.content) > 8, body=RawStateValueRequest(key=state_key))
check(get_transactions, lambda response: len(response.content) > 8, limit=1)
first = json.loads(get_transaction_by_version.sync_detailed("1", client=client).content)
check(get_transaction_by_version, lambda response: json.loads(response.content)["version"] == "1", "1")
for by_hash in (get_transaction_by_hash, wait_transaction_by_hash):
    check(by_hash, lambda response: json.loads(response.content)["version"] == "1", first["hash"])
check(
    prove_account_balance,
    typed(ProofBundle, lambda bundle: isinstance(bundle.claim, BalancesClaim) and bundle.claim.accounts[0].balances[0].balance.isdigit()),
    ADA,
    COIN,
)
check(
    prove_balances,
    typed(ProofBundle, lambda bundle: len(bundle.claim.accounts) == 1),
    body=BalancesProofRequest(queries=[BalanceQuery(address=ADA, asset_type=COIN)]),
)
check(prove_account_resource, typed(ProofBundle), "0x1", "0x1::chain_id::ChainId")
check(prove_account_module, typed(ProofBundle), "0x1", "coin")
check(prove_transaction_by_version, typed(ProofBundle), "1")
check(prove_transaction_by_hash, typed(ProofBundle), first["hash"])
check(prove_event, typed(ProofBundle), "1", "0")
check(
    prove_raw_table_item,
    typed(ProofBundle, lambda bundle: isinstance(bundle.claim, TableItemClaim) and bundle.claim.key == KEY),
    PRICES,
    body=RawTableItemRequest(key=KEY),
)
check(get_account_transactions, typed(list), ADA, start="0", limit=2)
check(get_account_transaction_summaries, typed(list, bool), ADA, limit=2)
check(get_events_by_creation_number, typed(list, lambda page: len(page) == 2), "0x1", "3", limit=2)
check(get_events_by_event_handle, typed(list, bool), "0x1", "0x1::block::BlockResource", "new_block_events")
check(get_transactions_auxiliary_info, typed(list, lambda page: len(page) == 2), start_version="0", limit=2)
block = check(get_block_by_height, typed(Block, lambda block: len(block.transactions) > 0), "1", with_transactions=True)
check(get_block_by_version, typed(Block, lambda found: found.block_hash == block.block_hash), "1")
check(estimate_gas_price, typed(GasEstimation, lambda prices: prices.gas_estimate >= 100))

check(
    view,
    lambda response: response.content.startswith(b'["'),
    body=ViewRequest(function="0x1::coin::balance", type_arguments=[COIN], arguments=[ADA]),
)

request = EncodeSubmissionRequest(
    sender=ADA,
    sequence_number="0",
    max_gas_amount="2000",
    gas_unit_price="100",
    expiration_timestamp_secs="32425224034",
    payload=EntryFunctionPayload(
        type_=EntryFunctionPayloadType.ENTRY_FUNCTION_PAYLOAD,
        function="0x1::aptos_account::transfer",
        type_arguments=[],
        arguments=["0x1234", "5"],
    ),
)
message = check(encode_submission, typed(str, lambda text: text.startswith("0xb5e97db0")), body=request)
check(
    explain_submission,
    lambda response: isinstance(response.parsed.payload, ExplainedEntryFunction),
    body=ExplainMessageRequest(type_=ExplainMessageRequestType.SIGNING_MESSAGE, message=message),
)
again = explain_submission.sync(
    client=client,
    body=ExplainEncodeRequest.from_dict(
        {**request.to_dict(), "type": ExplainEncodeRequestType.ENCODE_REQUEST}
    ),
)
if again.bytes_ != message:
    sys.exit(f"explain_submission of a request: {again!r}")

signed = json.loads(sys.argv[2])
# A valid signature is not simulated.
unsigned = {**signed[0], "signature": {**signed[0]["signature"], "signature": "0x" + "00" * 64}}
check(
    simulate_transaction,
    typed(list, lambda found: isinstance(found[0], UserTransaction) and found[0].success),
    body=SubmitTransactionRequest.from_dict(unsigned),
    estimate_gas_unit_price=True,
)
check(
    trace_transaction,
    typed(TransactionTrace, lambda trace: trace.success),
    body=SubmitTransactionRequest.from_dict(unsigned),
)
check(trace_by_version, typed(CommittedTrace, lambda trace: trace.version == "1"), "1")
transfer, in_batch = (SubmitTransactionRequest.from_dict(one) for one in signed)
check(submit_transaction, typed(PendingTransaction, lambda pending: pending.hash_.startswith("0x")), body=transfer)
check(
    submit_batch_transactions,
    typed(TransactionsBatchSubmissionResult, lambda result: result.transaction_failures == []),
    body=[in_batch],
)

first_event(
    stream_balance, "balance", BalanceEvent, lambda event: event.before != event.balance, ADA, COIN, after="1"
)
first_event(stream_blocks, "block", BlockEvent, lambda event: event.height.isdigit())
first_event(stream_transactions, "start", StartEvent, lambda event: event.version.isdigit())
first_event(stream_events, "start", StartEvent, lambda event: event.version.isdigit())
first_event(
    watch_list,
    "start",
    StartEvent,
    lambda event: event.version.isdigit(),
    body=WatchRequest(accounts=[ADA], assets=[COIN]),
)

check(spec_page, lambda response: b"<html" in response.content)
check(spec_json, lambda response: response.parsed["openapi"] == "3.0.3")
check(spec_yaml, lambda response: b"openapi: 3.0.3" in response.content)

absent = get_raw_table_item.sync(PRICES, client=client, body=RawTableItemRequest(key="0x00"))
if not isinstance(absent, Error) or absent.error_code != ErrorErrorCode.TABLE_ITEM_NOT_FOUND:
    sys.exit(f"the error of an absent item has no type: {absent!r}")
