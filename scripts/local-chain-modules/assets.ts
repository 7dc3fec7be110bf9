// Coins, objects and fungible assets. Signatures are those of the framework; the notation
// is that of module-text.ts.

/** Interfaces, one module after the other. */
export const ASSETS_MODULES = `
module 0x1::coin
error 6 EINSUFFICIENT_BALANCE Not enough coins to complete transaction
error 10 EFROZEN CoinStore is frozen. Coins cannot be deposited or withdrawn
struct DepositEvent has drop, store { amount: u64 }
struct WithdrawEvent has drop, store { amount: u64 }
struct Coin<phantom T0> has store { value: u64 }
struct CoinInfo<phantom T0> has key { name: String, symbol: String, decimals: u8, supply: Option<optional_aggregator::OptionalAggregator> }
struct CoinStore<phantom T0> has key { coin: Coin<T0>, frozen: bool, deposit_events: event::EventHandle<DepositEvent>, withdraw_events: event::EventHandle<WithdrawEvent> }
struct FreezeCapability<phantom T0> has copy, store { dummy_field: bool }
struct MintCapability<phantom T0> has copy, store { dummy_field: bool }
struct MigrationFlag has key { dummy_field: bool } @member(object::ObjectGroup)
struct PairedCoinType has key { type: type_info::TypeInfo } @member(object::ObjectGroup)
public view fun name<T0>(): String
public entry fun transfer<T0>(&signer, address, u64)
public view fun symbol<T0>(): String
public view fun decimals<T0>(): u8
public view fun balance<T0>(address): u64
public view fun is_balance_at_least<T0>(address, u64): bool
public view fun supply<T0>(): Option<u128>
public view fun coin_supply<T0>(): Option<u128>
public entry fun create_coin_conversion_map(&signer)
public entry fun create_pairing<T0>(&signer)
public entry fun freeze_coin_store<T0>(address, &FreezeCapability<T0>)
public view fun is_account_registered<T0>(address): bool
public view fun is_coin_initialized<T0>(): bool
public view fun is_coin_store_frozen<T0>(address): bool
public entry fun migrate_coin_store_to_fungible_store<T0>(vector<address>)
public entry fun migrate_to_fungible_store<T0>(&signer)
public view fun paired_burn_ref_exists<T0>(): bool
public view fun paired_coin(Object<fungible_asset::Metadata>): Option<type_info::TypeInfo>
public view fun paired_metadata<T0>(): Option<Object<fungible_asset::Metadata>>
public view fun paired_mint_ref_exists<T0>(): bool
public view fun paired_transfer_ref_exists<T0>(): bool
public entry fun unfreeze_coin_store<T0>(address, &FreezeCapability<T0>)
public entry fun upgrade_supply<T0>(&signer)

module 0x1::aptos_coin
error 1 ENO_CAPABILITIES Account does not have mint capability
struct AptosCoin has key { dummy_field: bool }
struct MintCapStore has key { mint_cap: coin::MintCapability<AptosCoin> }
public entry fun mint(&signer, address, u64)
public entry fun claim_mint_capability(&signer)
public entry fun delegate_mint_capability(signer, address)

module 0x1::managed_coin
public entry fun initialize<T0>(&signer, vector<u8>, vector<u8>, u8, bool)
public entry fun burn<T0>(&signer, u64)
public entry fun mint<T0>(&signer, address, u64)
public entry fun register<T0>(&signer)
public entry fun destroy_caps<T0>(&signer)

module 0x1::object
error 2 EOBJECT_DOES_NOT_EXIST there is no object at the address
error 3 ENO_UNGATED_TRANSFERS The object does not have ungated transfers enabled
error 4 ENOT_OBJECT_OWNER The caller does not have ownership permissions
error 6 EMAXIMUM_NESTING Exceeds maximum nesting for an object transfer.
error 7 ERESOURCE_DOES_NOT_EXIST the object has no resource of the type
struct Object<phantom T0> has copy, drop, store { inner: address }
struct ObjectCore has key { guid_creation_num: u64, owner: address, allow_ungated_transfer: bool, transfer_events: event::EventHandle<TransferEvent> } @member(ObjectGroup)
struct ObjectGroup { dummy_field: bool } @group(global)
struct TransferEvent has drop, store { object: address, from: address, to: address }
public entry fun burn<T0: key>(&signer, Object<T0>)
public view fun owner<T0: key>(Object<T0>): address
public view fun is_burnt<T0: key>(Object<T0>): bool
public view fun is_owner<T0: key>(Object<T0>, address): bool
public view fun is_untransferable<T0: key>(Object<T0>): bool
public view fun owns<T0: key>(Object<T0>, address): bool
public view fun root_owner<T0: key>(Object<T0>): address
public entry fun transfer<T0: key>(&signer, Object<T0>, address)
public entry fun transfer_call(&signer, address, address)
public entry fun transfer_to_object<T0: key, T1: key>(&signer, Object<T0>, Object<T1>)
public entry fun unburn<T0: key>(&signer, Object<T0>)

module 0x1::fungible_asset
error 3 ESTORE_IS_FROZEN Store is disabled from sending and receiving this fungible asset.
error 4 EINSUFFICIENT_BALANCE Insufficient balance to withdraw or transfer.
error 8 ENOT_STORE_OWNER Account is not the store's owner.
error 11 EFUNGIBLE_ASSET_AND_STORE_MISMATCH Fungible asset and store do not match.
struct ConcurrentFungibleBalance has key { balance: aggregator_v2::Aggregator<u64> } @member(object::ObjectGroup)
struct ConcurrentSupply has key { current: aggregator_v2::Aggregator<u128> } @member(object::ObjectGroup)
struct Deposit has drop, store { store: address, amount: u64 } @event
struct FungibleStore has key { metadata: Object<Metadata>, balance: u64, frozen: bool } @member(object::ObjectGroup)
struct Metadata has copy, drop, key { name: String, symbol: String, decimals: u8, icon_uri: String, project_uri: String } @member(object::ObjectGroup)
struct Supply has key { current: u128, maximum: Option<u128> } @member(object::ObjectGroup)
struct Withdraw has drop, store { store: address, amount: u64 } @event
public view fun name<T0: key>(Object<T0>): String
public view fun is_untransferable<T0: key>(Object<T0>): bool
public entry fun transfer<T0: key>(&signer, Object<T0>, Object<T0>, u64)
public view fun symbol<T0: key>(Object<T0>): String
public view fun decimals<T0: key>(Object<T0>): u8
public view fun icon_uri<T0: key>(Object<T0>): String
public view fun project_uri<T0: key>(Object<T0>): String
public view fun balance<T0: key>(Object<T0>): u64
public view fun metadata<T0: key>(Object<T0>): Metadata
public view fun is_asset_type_dispatchable(Object<Metadata>): bool
public view fun is_balance_at_least<T0: key>(Object<T0>, u64): bool
public view fun is_frozen<T0: key>(Object<T0>): bool
public view fun is_store_dispatchable<T0: key>(Object<T0>): bool
public view fun maximum<T0: key>(Object<T0>): Option<u128>
public view fun store_exists(address): bool
public view fun store_metadata<T0: key>(Object<T0>): Object<Metadata>
public view fun supply<T0: key>(Object<T0>): Option<u128>
public entry fun upgrade_store_to_concurrent<T0: key>(&signer, Object<T0>)

module 0x1::primary_fungible_store
public entry fun transfer<T0: key>(&signer, Object<T0>, address, u64)
public view fun balance<T0: key>(address, Object<T0>): u64
public view fun is_balance_at_least<T0: key>(address, Object<T0>, u64): bool
public view fun is_frozen<T0: key>(address, Object<T0>): bool
public entry fun transfer_assert_minimum_deposit<T0: key>(&signer, Object<T0>, address, u64, u64)
public view fun primary_store<T0: key>(address, Object<T0>): Object<fungible_asset::FungibleStore>
public view fun primary_store_address<T0: key>(address, Object<T0>): address
public view fun primary_store_exists<T0: key>(address, Object<T0>): bool

module 0x1::dispatchable_fungible_asset
public entry fun transfer<T0: key>(&signer, Object<T0>, Object<T0>, u64)
public entry fun transfer_assert_minimum_deposit<T0: key>(&signer, Object<T0>, Object<T0>, u64, u64)
`;
