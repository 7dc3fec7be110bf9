// Calls every operation of a node through the client that oapi-codegen generates, and prints the id of each.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"sextant-client/api"
)

const (
	anna    = "0xf3940f5d6b16424e5ccfe60644ca95665a922573ba344e953491371c427630ce"
	coin   = "0x1::aptos_coin::AptosCoin"
	prices = "0xc90662174ea9bb138a86766c054f89c33eb636eb910a05ea69cc888a8cc96815"
	key    = "0x03415054"
)

func check(id string, err error, response *http.Response, isRight bool) {
	if err != nil || response.StatusCode/100 != 2 || !isRight {
		fmt.Fprintf(os.Stderr, "%s: %v %v, typed answer: %v\n", id, err, response, isRight)
		os.Exit(1)
	}
	fmt.Println(id)
}

func pointer[T any](value T) *T { return &value }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The data of the first event of a kind. Closes the stream.
func firstEvent[T any](response *http.Response, kind string) (data T) {
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for name := ""; lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), "event: "); found {
			name = text
		} else if text, found := strings.CutPrefix(lines.Text(), "data: "); found && name == kind {
			must(json.Unmarshal([]byte(text), &data))
			return data
		}
	}
	must(lines.Err())
	panic("the stream ended before an event: " + response.Status)
}

func main() {
	ctx := context.Background()
	client, err := api.NewClientWithResponses(os.Args[1])
	must(err)

	ledger, err := client.GetLedgerInfoWithResponse(ctx, &api.GetLedgerInfoParams{MinLedgerVersion: pointer("1"), WaitMs: pointer(1000)})
	check("get_ledger_info", err, ledger.HTTPResponse, ledger.JSON200 != nil && ledger.JSON200.ChainId == 4)
	version := ledger.JSON200.LedgerVersion
	micros, err := strconv.ParseInt(ledger.JSON200.LedgerTimestamp, 10, 64)
	must(err)
	at := time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
	healthy, err := client.HealthyWithResponse(ctx, &api.HealthyParams{DurationSecs: pointer(int64(3600))})
	check("healthy", err, healthy.HTTPResponse, healthy.JSON200 != nil && healthy.JSON200.Message != "")
	ready, err := client.ReadyWithResponse(ctx, &api.ReadyParams{})
	check("ready", err, ready.HTTPResponse, ready.JSON200 != nil && ready.JSON200.Message != "")
	info, err := client.InfoWithResponse(ctx)
	check("info", err, info.HTTPResponse, info.JSON200 != nil && (*info.JSON200)["software"] == "sextant")

	balance, err := client.GetAccountBalanceWithResponse(ctx, anna, coin, &api.GetAccountBalanceParams{At: &at, MinLedgerVersion: &version, WaitMs: pointer(0)})
	check("get_account_balance", err, balance.HTTPResponse, balance.JSON200 != nil && *balance.JSON200 > 0)
	detail, err := client.GetBalanceDetailWithResponse(ctx, anna, coin, &api.GetBalanceDetailParams{LedgerVersion: &version})
	check("get_balance_detail", err, detail.HTTPResponse, detail.JSON200 != nil && *detail.JSON200.Symbol == "APT")
	history, err := client.GetBalanceHistoryWithResponse(ctx, anna, coin, &api.GetBalanceHistoryParams{Limit: pointer(2)})
	check("get_balance_history", err, history.HTTPResponse, history.JSON200 != nil && len(*history.JSON200) > 0 && (*history.JSON200)[0].After != "")
	balances, err := client.GetBalancesWithResponse(ctx, &api.GetBalancesParams{At: &at}, api.BalancesRequest{
		Queries: []api.BalanceQuery{{Address: anna, AssetType: coin}, {Address: "?", AssetType: coin}},
		Totals:  pointer(true),
	})
	check("get_balances", err, balances.HTTPResponse, balances.JSON200 != nil && balances.JSON200.Balances[0].Balance != nil &&
		balances.JSON200.Balances[1].Error.ErrorCode == api.WebFrameworkError)

	item, err := client.GetRawTableItemWithResponse(ctx, prices, &api.GetRawTableItemParams{LedgerVersion: &version}, api.RawTableItemRequest{Key: key})
	check("get_raw_table_item", err, item.HTTPResponse, item.JSON200 != nil && strings.HasPrefix(*item.JSON200, "0x"))
	value, err := client.GetTableItemWithResponse(ctx, prices, &api.GetTableItemParams{LedgerVersion: &version}, api.TableItemRequest{
		KeyType: "0x1::string::String", ValueType: "u64", Key: "APT",
	})
	check("get_table_item", err, value.HTTPResponse, strings.HasPrefix(string(value.Body), "\""))
	items, err := client.GetRawTableItemsWithResponse(ctx, &api.GetRawTableItemsParams{LedgerVersion: &version}, api.TableItemsRequest{
		Queries: []api.TableItemQuery{{TableHandle: prices, Key: key}},
	})
	check("get_raw_table_items", err, items.HTTPResponse, items.JSON200 != nil && *items.JSON200.Items[0].Value == *item.JSON200)
	holdings, err := client.GetHoldingsWithResponse(ctx, anna, &api.GetHoldingsParams{Limit: pointer(2), At: &at})
	check("get_holdings", err, holdings.HTTPResponse, holdings.JSON200 != nil && (*holdings.JSON200)[0].Balance != "")
	account, err := client.GetAccountWithResponse(ctx, anna, &api.GetAccountParams{})
	check("get_account", err, account.HTTPResponse, account.JSON200 != nil && account.JSON200.SequenceNumber != "")
	const accountType = "0x1::account::Account"
	resource, err := client.GetAccountResourceWithResponse(ctx, anna, accountType, &api.GetAccountResourceParams{LedgerVersion: &version})
	check("get_account_resource", err, resource.HTTPResponse, resource.JSON200 != nil && resource.JSON200.Type == accountType)
	resources, err := client.GetAccountResourcesWithResponse(ctx, anna, &api.GetAccountResourcesParams{LedgerVersion: &version})
	check("get_account_resources", err, resources.HTTPResponse, resources.JSON200 != nil && len(*resources.JSON200) > 0)
	module, err := client.GetAccountModuleWithResponse(ctx, "0x1", "coin", &api.GetAccountModuleParams{})
	check("get_account_module", err, module.HTTPResponse, module.JSON200 != nil && module.JSON200.Abi.Name == "coin")
	modules, err := client.GetAccountModulesWithResponse(ctx, "0x1", &api.GetAccountModulesParams{})
	check("get_account_modules", err, modules.HTTPResponse, modules.JSON200 != nil && len(*modules.JSON200) > 0)
	rows, err := client.GetTableItemsWithResponse(ctx, prices, &api.GetTableItemsParams{LedgerVersion: &version})
	check("get_table_items", err, rows.HTTPResponse, rows.JSON200 != nil && (*rows.JSON200)[0].Value != nil)
	count, err := client.CountTableItemsWithResponse(ctx, prices, &api.CountTableItemsParams{LedgerVersion: &version})
	check("count_table_items", err, count.HTTPResponse, count.JSON200 != nil && count.JSON200.IsComplete)
	stateKey := "0x01" + prices[2:] + "04" + key[2:]
	stored, err := client.GetRawStateValueWithResponse(ctx, &api.GetRawStateValueParams{}, api.RawStateValueRequest{Key: stateKey})
	check("get_raw_state_value", err, stored.HTTPResponse, len(stored.Body) > 8)
	records, err := client.GetTransactionsWithResponse(ctx, &api.GetTransactionsParams{Limit: pointer(int32(1))})
	check("get_transactions", err, records.HTTPResponse, len(records.Body) > 8)
	first, err := client.GetTransactionByVersionWithResponse(ctx, "1", &api.GetTransactionByVersionParams{})
	var named struct{ Hash, Version string }
	must(json.Unmarshal(first.Body, &named))
	check("get_transaction_by_version", err, first.HTTPResponse, named.Version == "1")
	byHash, err := client.GetTransactionByHashWithResponse(ctx, named.Hash, &api.GetTransactionByHashParams{})
	check("get_transaction_by_hash", err, byHash.HTTPResponse, strings.Contains(string(byHash.Body), named.Hash))
	waited, err := client.WaitTransactionByHashWithResponse(ctx, named.Hash, &api.WaitTransactionByHashParams{})
	check("wait_transaction_by_hash", err, waited.HTTPResponse, strings.Contains(string(waited.Body), named.Hash))
	balanceProof, err := client.ProveAccountBalanceWithResponse(ctx, anna, coin, &api.ProveAccountBalanceParams{})
	must(err)
	balanceClaim, err := balanceProof.JSON200.Claim.AsBalancesClaim()
	check("prove_account_balance", err, balanceProof.HTTPResponse, len(balanceClaim.Accounts) == 1 && balanceClaim.Accounts[0].Address == anna)
	balancesProof, err := client.ProveBalancesWithResponse(ctx, &api.ProveBalancesParams{}, api.BalancesProofRequest{Queries: []api.BalanceQuery{{Address: anna, AssetType: coin}}})
	check("prove_balances", err, balancesProof.HTTPResponse, balancesProof.JSON200 != nil)
	resourceProof, err := client.ProveAccountResourceWithResponse(ctx, "0x1", "0x1::chain_id::ChainId", &api.ProveAccountResourceParams{})
	check("prove_account_resource", err, resourceProof.HTTPResponse, resourceProof.JSON200 != nil)
	moduleProof, err := client.ProveAccountModuleWithResponse(ctx, "0x1", "coin", &api.ProveAccountModuleParams{})
	check("prove_account_module", err, moduleProof.HTTPResponse, moduleProof.JSON200 != nil)
	transactionProof, err := client.ProveTransactionByVersionWithResponse(ctx, "1", &api.ProveTransactionByVersionParams{})
	check("prove_transaction_by_version", err, transactionProof.HTTPResponse, transactionProof.JSON200 != nil)
	hashProof, err := client.ProveTransactionByHashWithResponse(ctx, named.Hash, &api.ProveTransactionByHashParams{})
	check("prove_transaction_by_hash", err, hashProof.HTTPResponse, hashProof.JSON200 != nil)
	eventProof, err := client.ProveEventWithResponse(ctx, "1", "0", &api.ProveEventParams{})
	check("prove_event", err, eventProof.HTTPResponse, eventProof.JSON200 != nil)
	itemProof, err := client.ProveRawTableItemWithResponse(ctx, prices, &api.ProveRawTableItemParams{}, api.RawTableItemRequest{Key: key})
	must(err)
	itemClaim, err := itemProof.JSON200.Claim.AsTableItemClaim()
	check("prove_raw_table_item", err, itemProof.HTTPResponse, itemClaim.Key == key)
	sent, err := client.GetAccountTransactionsWithResponse(ctx, anna, &api.GetAccountTransactionsParams{Start: pointer("0")})
	check("get_account_transactions", err, sent.HTTPResponse, sent.JSON200 != nil)
	summaries, err := client.GetAccountTransactionSummariesWithResponse(ctx, anna, nil)
	check("get_account_transaction_summaries", err, summaries.HTTPResponse, summaries.JSON200 != nil)
	numbered, err := client.GetEventsByCreationNumberWithResponse(ctx, "0x1", "3", nil)
	check("get_events_by_creation_number", err, numbered.HTTPResponse, numbered.JSON200 != nil)
	handled, err := client.GetEventsByEventHandleWithResponse(ctx, "0x1", "0x1::block::BlockResource", "new_block_events", nil)
	check("get_events_by_event_handle", err, handled.HTTPResponse, handled.JSON200 != nil)
	placed, err := client.GetTransactionsAuxiliaryInfoWithResponse(ctx, &api.GetTransactionsAuxiliaryInfoParams{StartVersion: pointer("0")})
	check("get_transactions_auxiliary_info", err, placed.HTTPResponse, placed.JSON200 != nil)
	byHeight, err := client.GetBlockByHeightWithResponse(ctx, "1", &api.GetBlockByHeightParams{WithTransactions: pointer(true)})
	check("get_block_by_height", err, byHeight.HTTPResponse, byHeight.JSON200 != nil && byHeight.JSON200.BlockHeight == "1")
	byVersion, err := client.GetBlockByVersionWithResponse(ctx, "1", &api.GetBlockByVersionParams{})
	check("get_block_by_version", err, byVersion.HTTPResponse, byVersion.JSON200 != nil && byVersion.JSON200.BlockHash == byHeight.JSON200.BlockHash)
	gasPrices, err := client.EstimateGasPriceWithResponse(ctx, &api.EstimateGasPriceParams{})
	check("estimate_gas_price", err, gasPrices.HTTPResponse, gasPrices.JSON200 != nil && gasPrices.JSON200.GasEstimate >= 100)

	returned, err := client.ViewWithResponse(ctx, &api.ViewParams{}, api.ViewRequest{
		Function: "0x1::coin::balance", TypeArguments: []string{coin}, Arguments: []interface{}{anna},
	})
	check("view", err, returned.HTTPResponse, strings.HasPrefix(string(returned.Body), "[\""))

	payload := api.TransactionPayload{}
	must(payload.FromEntryFunctionPayload(api.EntryFunctionPayload{
		Function:      "0x1::aptos_account::transfer",
		TypeArguments: []string{},
		Arguments:     []interface{}{"0x1234", "5"},
	}))
	request := api.EncodeSubmissionRequest{
		Sender: anna, SequenceNumber: pointer("0"), MaxGasAmount: "2000", GasUnitPrice: "100",
		ExpirationTimestampSecs: "32425224034", Payload: payload,
	}
	message, err := client.EncodeSubmissionWithResponse(ctx, &api.EncodeSubmissionParams{}, request)
	check("encode_submission", err, message.HTTPResponse, message.JSON200 != nil && strings.HasPrefix(*message.JSON200, "0xb5e97db0"))
	explain := api.ExplainSubmissionRequest{}
	must(explain.FromExplainMessageRequest(api.ExplainMessageRequest{Message: *message.JSON200}))
	explained, err := client.ExplainSubmissionWithResponse(ctx, &api.ExplainSubmissionParams{}, explain)
	must(err)
	call, err := explained.JSON200.Payload.ValueByDiscriminator()
	must(err)
	function, isCall := call.(api.ExplainedEntryFunction)
	check("explain_submission", err, explained.HTTPResponse, isCall && function.Function == "0x1::aptos_account::transfer")

	// A second member of the union, told apart by its type.
	must(explain.FromExplainEncodeRequest(api.ExplainEncodeRequest{
		Sender: anna, SequenceNumber: pointer("0"), MaxGasAmount: "2000", GasUnitPrice: "100",
		ExpirationTimestampSecs: "32425224034", Payload: payload,
	}))
	again, err := client.ExplainSubmissionWithResponse(ctx, &api.ExplainSubmissionParams{}, explain)
	must(err)
	if again.JSON200 == nil || again.JSON200.Bytes != *message.JSON200 {
		fmt.Fprintf(os.Stderr, "explain_submission of a request: %s\n", again.Body)
		os.Exit(1)
	}

	var signed []api.SubmitTransactionRequest
	must(json.Unmarshal([]byte(os.Args[2]), &signed))
	// A valid signature is not simulated.
	var unsigned api.SubmitTransactionRequest
	text, err := json.Marshal(signed[0])
	must(err)
	must(json.Unmarshal(text, &unsigned))
	unsigned.Signature.Set("signature", "0x"+strings.Repeat("00", 64))
	simulated, err := client.SimulateTransactionWithResponse(ctx, &api.SimulateTransactionParams{EstimateGasUnitPrice: pointer(true)}, unsigned)
	check("simulate_transaction", err, simulated.HTTPResponse, simulated.JSON200 != nil && (*simulated.JSON200)[0].Success)
	traced, err := client.TraceTransactionWithResponse(ctx, &api.TraceTransactionParams{}, unsigned)
	check("trace_transaction", err, traced.HTTPResponse, traced.JSON200 != nil && traced.JSON200.Success)
	replayed, err := client.TraceByVersionWithResponse(ctx, "1", &api.TraceByVersionParams{})
	check("trace_by_version", err, replayed.HTTPResponse, replayed.JSON200 != nil && replayed.JSON200.Version == "1")
	pending, err := client.SubmitTransactionWithResponse(ctx, &api.SubmitTransactionParams{}, signed[0])
	check("submit_transaction", err, pending.HTTPResponse, pending.JSON202 != nil && strings.HasPrefix(pending.JSON202.Hash, "0x"))
	batch, err := client.SubmitBatchTransactionsWithResponse(ctx, &api.SubmitBatchTransactionsParams{}, signed[1:])
	check("submit_batch_transactions", err, batch.HTTPResponse, batch.JSON202 != nil && len(batch.JSON202.TransactionFailures) == 0)

	changes, err := client.StreamBalance(ctx, anna, coin, &api.StreamBalanceParams{After: pointer("1")})
	must(err)
	change := firstEvent[api.BalanceEvent](changes, "balance")
	check("stream_balance", nil, changes, change.Before != nil && *change.Before != change.Balance)
	blocks, err := client.StreamBlocks(ctx, &api.StreamBlocksParams{})
	must(err)
	check("stream_blocks", nil, blocks, firstEvent[api.BlockEvent](blocks, "block").Height != "")

	transactions, err := client.StreamTransactions(ctx, &api.StreamTransactionsParams{})
	must(err)
	check("stream_transactions", nil, transactions, firstEvent[api.StartEvent](transactions, "start").Version != "")
	events, err := client.StreamEvents(ctx, &api.StreamEventsParams{})
	must(err)
	check("stream_events", nil, events, firstEvent[api.StartEvent](events, "start").Version != "")

	watched, err := client.WatchList(ctx, &api.WatchListParams{}, api.WatchRequest{Accounts: []string{anna}, Assets: []string{coin}})
	must(err)
	check("watch_list", nil, watched, firstEvent[api.StartEvent](watched, "start").Version != "")

	page, err := client.SpecPageWithResponse(ctx)
	check("spec_page", err, page.HTTPResponse, len(page.Body) > 0)
	document, err := client.SpecJsonWithResponse(ctx)
	check("spec_json", err, document.HTTPResponse, document.JSON200 != nil)
	yaml, err := client.SpecYamlWithResponse(ctx)
	check("spec_yaml", err, yaml.HTTPResponse, len(yaml.Body) > 0)

	// An error is typed too.
	absent, err := client.GetRawTableItemWithResponse(ctx, prices, &api.GetRawTableItemParams{}, api.RawTableItemRequest{Key: "0x00"})
	must(err)
	if absent.JSON404 == nil || absent.JSON404.ErrorCode != api.TableItemNotFound {
		fmt.Fprintln(os.Stderr, "the error of an absent item has no type")
		os.Exit(1)
	}
}
