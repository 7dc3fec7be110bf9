// Basic modules, and those whose resources every block writes. Signatures are those of the framework; the notation
// is that of module-text.ts.

/** Interfaces, one module after the other. */
export const FOUNDATION_MODULES = `
module 0x1::string
struct String has copy, drop, store { bytes: vector<u8> }

module 0x1::option
struct Option<T0> has copy, drop, store { vec: vector<T0> }

module 0x1::guid
struct GUID has drop, store { id: ID }
struct ID has copy, drop, store { creation_num: u64, addr: address }

module 0x1::event
struct EventHandle<phantom T0: drop + store> has store { counter: u64, guid: guid::GUID }

module 0x1::type_info
struct TypeInfo has copy, drop, store { account_address: address, module_name: vector<u8>, struct_name: vector<u8> }

module 0x1::copyable_any
struct Any has copy, drop, store { type_name: String, data: vector<u8> }

module 0x1::table
struct Table<phantom T0: copy + drop, phantom T1> has store { handle: address }

module 0x1::table_with_length
struct TableWithLength<phantom T0: copy + drop, phantom T1> has store { inner: table::Table<T0, T1>, length: u64 }

module 0x1::aggregator
struct Aggregator has store { handle: address, key: address, limit: u128 }

module 0x1::aggregator_v2
struct Aggregator<T0> has drop, store { value: T0, max_value: T0 }

module 0x1::optional_aggregator
struct Integer has store { value: u128, limit: u128 }
struct OptionalAggregator has store { aggregator: Option<aggregator::Aggregator>, integer: Option<Integer> }

module 0x1::chain_id
struct ChainId has key { id: u8 }
public view fun get(): u8

module 0x1::timestamp
struct CurrentTimeMicroseconds has key { microseconds: u64 }
public view fun now_microseconds(): u64
public view fun now_seconds(): u64

module 0x1::block
struct BlockResource has key { height: u64, epoch_interval: u64, new_block_events: event::EventHandle<NewBlockEvent>, update_epoch_interval_events: event::EventHandle<UpdateEpochIntervalEvent> }
struct CommitHistory has key { max_capacity: u32, next_idx: u32, table: table_with_length::TableWithLength<u32, NewBlockEvent> }
struct NewBlockEvent has copy, drop, store { hash: address, epoch: u64, round: u64, height: u64, previous_block_votes_bitvec: vector<u8>, proposer: address, failed_proposer_indices: vector<u64>, time_microseconds: u64 }
struct UpdateEpochIntervalEvent has drop, store { old_epoch_interval: u64, new_epoch_interval: u64 }
fun block_prologue(signer, address, u64, u64, address, vector<u64>, vector<u8>, u64)
public view fun get_current_block_height(): u64
public view fun get_epoch_interval_secs(): u64

module 0x1::reconfiguration
struct Configuration has key { epoch: u64, last_reconfiguration_time: u64, events: event::EventHandle<NewEpochEvent> }
struct NewEpochEvent has drop, store { epoch: u64 } @event

module 0x1::nonce_validation
struct NonceKeyWithExpTime has copy, drop, store { txn_expiration_time: u64, sender_address: address, nonce: u64 }

module 0x1::transaction_validation
fun unified_prologue_v2(signer, Option<vector<u8>>, ReplayProtector, vector<address>, vector<Option<vector<u8>>>, u64, u64, u64, u8, bool)
fun unified_prologue_fee_payer_v2(signer, signer, Option<vector<u8>>, Option<vector<u8>>, ReplayProtector, vector<address>, vector<Option<vector<u8>>>, u64, u64, u64, u8, bool)
fun unified_epilogue_v2(signer, signer, u64, u64, u64, u64, bool, bool)
struct ReplayProtector { dummy_field: bool }

module 0x1::transaction_fee
struct FeeStatement has drop, store { total_charge_gas_units: u64, execution_gas_units: u64, io_gas_units: u64, storage_fee_octas: u64, storage_fee_refund_octas: u64 } @event
friend fun emit_fee_statement(FeeStatement)
public entry fun convert_to_aptos_fa_burn_ref(&signer)
public entry fun convert_to_aptos_fa_mint_ref(&signer)
`;
