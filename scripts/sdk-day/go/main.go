// The day of the Go SDK: the URLs of the node, its faucet and its status are the arguments.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/aptos-labs/aptos-go-sdk"
	"github.com/aptos-labs/aptos-go-sdk/bcs"
)

const funds = 1_000_000_000

type line struct {
	Call   string `json:"call"`
	Ok     bool   `json:"ok"`
	Result string `json:"result"`
}

func tell(call string, check func() (string, error)) {
	result, err := check()
	if err != nil {
		result = err.Error()
	}
	text, _ := json.Marshal(line{call, err == nil, result})
	fmt.Println(string(text))
}

func same(what string, got any, expected any) (string, error) {
	if fmt.Sprint(got) != fmt.Sprint(expected) {
		return "", fmt.Errorf("%s: expected %v, got %v", what, expected, got)
	}
	return fmt.Sprintf("%s %v", what, got), nil
}

func main() {
	client, err := aptos.NewClient(aptos.NetworkConfig{
		Name: "localnet", ChainId: 4, NodeUrl: os.Args[1], FaucetUrl: os.Args[2], IndexerUrl: os.Args[3],
	})
	if err != nil {
		panic(err)
	}
	alice, err := aptos.NewEd25519Account()
	if err != nil {
		panic(err)
	}
	bob, err := aptos.NewEd25519Account()
	if err != nil {
		panic(err)
	}
	var aliceHas, bobHas uint64

	books := func() (string, error) {
		a, err := client.AccountAPTBalance(alice.Address)
		if err != nil {
			return "", err
		}
		b, err := client.AccountAPTBalance(bob.Address)
		if err != nil {
			return "", err
		}
		if _, err = same("alice", a, aliceHas); err != nil {
			return "", err
		}
		if _, err = same("bob", b, bobHas); err != nil {
			return "", err
		}
		return fmt.Sprintf("alice %d, bob %d", a, b), nil
	}
	payload := func(amount uint64) aptos.TransactionPayload {
		to, _ := bcs.Serialize(&bob.Address)
		octas, _ := bcs.SerializeU64(amount)
		return aptos.TransactionPayload{Payload: &aptos.EntryFunction{
			Module:   aptos.ModuleId{Address: aptos.AccountOne, Name: "aptos_account"},
			Function: "transfer",
			ArgTypes: []aptos.TypeTag{},
			Args:     [][]byte{to, octas},
		}}
	}
	settle := func(hash string, amount uint64) (string, error) {
		done, err := client.WaitForTransaction(hash)
		if err != nil {
			return "", err
		}
		if !done.Success {
			return "", fmt.Errorf("failed: %s", done.VmStatus)
		}
		aliceHas -= amount + done.GasUsed*done.GasUnitPrice
		bobHas += amount
		return books()
	}

	tell("Info, GetChainId", func() (string, error) {
		id, err := client.GetChainId()
		if err != nil {
			return "", err
		}
		info, err := client.Info()
		if err != nil {
			return "", err
		}
		if _, err = same("chain id of Info", info.ChainId, 4); err != nil {
			return "", err
		}
		return same("chain id", id, 4)
	})
	tell("Fund, AccountAPTBalance", func() (string, error) {
		if err := client.Fund(alice.Address, funds); err != nil {
			return "", err
		}
		aliceHas = funds
		return books()
	})
	tell("GetProcessorStatus", func() (string, error) {
		version, err := client.GetProcessorStatus("fungible_asset_processor")
		if err != nil {
			return "", err
		}
		info, err := client.Info()
		if err != nil {
			return "", err
		}
		if version == 0 || version > info.LedgerVersion() {
			return "", fmt.Errorf("version %d of %d", version, info.LedgerVersion())
		}
		return "at most the ledger's version", nil
	})
	tell("Account", func() (string, error) {
		info, err := client.Account(alice.Address)
		if err != nil {
			return "", err
		}
		return same("sequence number", info.SequenceNumberStr, "0")
	})
	tell("BuildTransaction, SimulateTransaction, SubmitTransaction", func() (string, error) {
		raw, err := client.BuildTransaction(alice.AccountAddress(), payload(1000))
		if err != nil {
			return "", err
		}
		simulated, err := client.SimulateTransaction(raw, alice)
		if err != nil {
			return "", err
		}
		if !simulated[0].Success {
			return "", fmt.Errorf("the simulation failed: %s", simulated[0].VmStatus)
		}
		signed, err := raw.SignedTransaction(alice)
		if err != nil {
			return "", err
		}
		submitted, err := client.SubmitTransaction(signed)
		if err != nil {
			return "", err
		}
		return settle(submitted.Hash, 1000)
	})
	var hash string
	tell("BuildSignAndSubmitTransaction", func() (string, error) {
		submitted, err := client.BuildSignAndSubmitTransaction(alice, payload(7))
		if err != nil {
			return "", err
		}
		hash = submitted.Hash
		return settle(hash, 7)
	})
	tell("TransactionByHash, TransactionByVersion", func() (string, error) {
		byHash, err := client.TransactionByHash(hash)
		if err != nil {
			return "", err
		}
		user, err := byHash.UserTransaction()
		if err != nil {
			return "", err
		}
		byVersion, err := client.TransactionByVersion(user.Version)
		if err != nil {
			return "", err
		}
		return same("hash", byVersion.Hash(), hash)
	})
	tell("AccountTransactions", func() (string, error) {
		sent, err := client.AccountTransactions(alice.Address, nil, nil)
		if err != nil {
			return "", err
		}
		return same("transactions", strconv.Itoa(len(sent)), "2")
	})
	tell("AccountResources, AccountResourcesBCS, AccountModule", func() (string, error) {
		resources, err := client.AccountResources(alice.Address)
		if err != nil {
			return "", err
		}
		records, err := client.AccountResourcesBCS(alice.Address)
		if err != nil {
			return "", err
		}
		if _, err = client.AccountModule(aptos.AccountOne, "coin"); err != nil {
			return "", err
		}
		return same("resources", len(records), len(resources))
	})
	tell("EstimateGasPrice", func() (string, error) {
		info, err := client.EstimateGasPrice()
		if err != nil {
			return "", err
		}
		if info.GasEstimate == 0 {
			return "", fmt.Errorf("no gas estimate")
		}
		return fmt.Sprintf("gas_estimate %d", info.GasEstimate), nil
	})
	tell("Account after two transactions", func() (string, error) {
		info, err := client.Account(alice.Address)
		if err != nil {
			return "", err
		}
		return same("sequence number", info.SequenceNumberStr, "2")
	})
}
