// Accounts: creation, keys, multisig accounts, resource accounts, publishing. Signatures are those of the
// framework; the notation is that of module-text.ts.

/** Interfaces, one module after the other. */
export const ACCOUNTS_MODULES = `
module 0x1::account
struct Account has store, key { authentication_key: vector<u8>, sequence_number: u64, guid_creation_num: u64, coin_register_events: event::EventHandle<CoinRegisterEvent>, key_rotation_events: event::EventHandle<KeyRotationEvent>, rotation_capability_offer: CapabilityOffer<RotationCapability>, signer_capability_offer: CapabilityOffer<SignerCapability> }
struct CapabilityOffer<phantom T0> has store { for: Option<address> }
struct CoinRegisterEvent has drop, store { type_info: type_info::TypeInfo }
struct KeyRotationEvent has drop, store { old_authentication_key: vector<u8>, new_authentication_key: vector<u8> }
struct OriginatingAddress has key { address_map: table::Table<address, address> }
struct RotationCapability has drop, store { account: address }
struct SignerCapability has drop, store { account: address }
error 1 EACCOUNT_ALREADY_EXISTS Account already exists
error 5 ECANNOT_RESERVED_ADDRESS Cannot create account because address is reserved
public fun create_account_if_does_not_exist(address)
public view fun encrypted_dk_exists(address): bool
public view fun exists_at(address): bool
public view fun get_authentication_key(address): vector<u8>
public view fun get_guid_next_creation_num(address): u64
public view fun get_rotation_capability_offer_for(address): address
public view fun get_sequence_number(address): u64
public view fun get_signer_capability_offer_for(address): address
public view fun is_rotation_capability_offered(address): bool
public view fun is_signer_capability_offered(address): bool
public entry fun offer_rotation_capability(&signer, vector<u8>, u8, vector<u8>, address)
public entry fun offer_signer_capability(&signer, vector<u8>, u8, vector<u8>, address)
public view fun originating_address(address): Option<address>
public entry fun revoke_any_rotation_capability(&signer)
public entry fun revoke_any_signer_capability(&signer)
public entry fun revoke_rotation_capability(&signer, address)
public entry fun revoke_signer_capability(&signer, address)
public entry fun rotate_authentication_key(&signer, u8, vector<u8>, u8, vector<u8>, vector<u8>, vector<u8>)
entry fun rotate_authentication_key_call(&signer, vector<u8>)
entry fun rotate_authentication_key_from_public_key(&signer, u8, vector<u8>)
public entry fun rotate_authentication_key_with_rotation_capability(&signer, address, u8, vector<u8>, vector<u8>)
entry fun set_originating_address(&signer)
entry fun upsert_ed25519_backup_key_and_encrypt_dk(&signer, vector<u8>, vector<u8>, vector<u8>, vector<u8>)
entry fun upsert_ed25519_backup_key_on_keyless_account(&signer, vector<u8>, vector<u8>, vector<u8>)

module 0x1::aptos_account
error 5 EMISMATCHING_RECIPIENTS_AND_AMOUNTS_LENGTH The lengths of the recipients and amounts lists don't match.
public entry fun create_account(address)
public entry fun transfer(&signer, address, u64)
public entry fun batch_transfer(&signer, vector<address>, vector<u64>)
public entry fun batch_transfer_coins<T0>(&signer, vector<address>, vector<u64>)
public entry fun batch_transfer_fungible_assets(&signer, Object<fungible_asset::Metadata>, vector<address>, vector<u64>)
public view fun can_receive_direct_coin_transfers(address): bool
friend entry fun fungible_transfer_only(&signer, address, u64)
public entry fun set_allow_direct_coin_transfers(&signer, bool)
public entry fun transfer_coins<T0>(&signer, address, u64)
public entry fun transfer_fungible_assets(&signer, Object<fungible_asset::Metadata>, address, u64)

module 0x1::resource_account
public entry fun create_resource_account(&signer, vector<u8>, vector<u8>)
public entry fun create_resource_account_and_fund(&signer, vector<u8>, vector<u8>, u64)
public entry fun create_resource_account_and_publish_package(&signer, vector<u8>, vector<u8>, vector<vector<u8>>)

module 0x1::multisig_account
public entry fun create(&signer, u64, vector<String>, vector<vector<u8>>)
public view fun is_owner(address, address): bool
public view fun vote(address, u64, address): bool, bool
entry fun add_owner(&signer, address)
entry fun add_owners(&signer, vector<address>)
entry fun add_owners_and_update_signatures_required(&signer, vector<address>, u64)
public entry fun approve_transaction(&signer, address, u64)
public view fun available_transaction_queue_capacity(address): u64
public view fun can_be_executed(address, u64): bool
public view fun can_be_rejected(address, u64): bool
public view fun can_execute(address, address, u64): bool
public view fun can_reject(address, address, u64): bool
public view fun num_signatures_required(address): u64
public entry fun create_transaction(&signer, address, vector<u8>)
public entry fun create_transaction_with_hash(&signer, address, vector<u8>)
public entry fun create_with_existing_account(address, vector<address>, u64, u8, vector<u8>, vector<u8>, vector<String>, vector<vector<u8>>)
public view fun owners(address): vector<address>
public entry fun create_with_existing_account_and_revoke_auth_key(address, vector<address>, u64, u8, vector<u8>, vector<u8>, vector<String>, vector<vector<u8>>)
entry fun create_with_existing_account_and_revoke_auth_key_call(&signer, vector<address>, u64, vector<String>, vector<vector<u8>>)
entry fun create_with_existing_account_call(&signer, vector<address>, u64, vector<String>, vector<vector<u8>>)
public entry fun create_with_owners(&signer, vector<address>, u64, vector<String>, vector<vector<u8>>)
public entry fun create_with_owners_and_timelock(&signer, vector<address>, u64, vector<String>, vector<vector<u8>>, Option<u64>, Option<u64>)
public view fun timelock_period(address): u64
public entry fun create_with_owners_then_remove_bootstrapper(&signer, vector<address>, u64, vector<String>, vector<vector<u8>>)
public entry fun execute_rejected_transaction(&signer, address)
public entry fun execute_rejected_transactions(&signer, address, u64)
public view fun get_next_multisig_account_address(address): address
public view fun get_next_transaction_payload(address, vector<u8>): vector<u8>
public view fun last_resolved_sequence_number(address): u64
public view fun next_sequence_number(address): u64
public entry fun reject_transaction(&signer, address, u64)
entry fun remove_owner(&signer, address)
entry fun remove_owners(&signer, vector<address>)
entry fun remove_timelock(&signer)
entry fun swap_owner(&signer, address, address)
entry fun swap_owners(&signer, vector<address>, vector<address>)
entry fun swap_owners_and_update_signatures_required(&signer, vector<address>, vector<address>, u64)
public view fun timelock_override_threshold(address): Option<u64>
entry fun update_metadata(&signer, vector<String>, vector<vector<u8>>)
entry fun update_signatures_required(&signer, u64)
entry fun upsert_timelock(&signer, u64, Option<u64>)
public entry fun vote_transaction(&signer, address, u64, bool)
public entry fun vote_transactions(&signer, address, u64, u64, bool)
public entry fun vote_transanction(&signer, address, u64, bool)

module 0x1::code
struct ModuleMetadata has copy, drop, store { name: String, source: vector<u8>, source_map: vector<u8>, extension: Option<copyable_any::Any> }
struct PackageDep has copy, drop, store { account: address, package_name: String }
struct PackageMetadata has copy, drop, store { name: String, upgrade_policy: UpgradePolicy, upgrade_number: u64, source_digest: String, manifest: vector<u8>, modules: vector<ModuleMetadata>, deps: vector<PackageDep>, extension: Option<copyable_any::Any> }
struct PackageRegistry has drop, store, key { packages: vector<PackageMetadata> }
struct UpgradePolicy has copy, drop, store { policy: u8 }
public entry fun publish_package_txn(&signer, vector<u8>, vector<vector<u8>>)

module 0x1::object_code_deployment
public entry fun publish(&signer, vector<u8>, vector<vector<u8>>)
public entry fun freeze_code_object(&signer, Object<code::PackageRegistry>)
public entry fun upgrade(&signer, vector<u8>, vector<vector<u8>>, Object<code::PackageRegistry>)

module 0x1::account_abstraction
public entry fun initialize(&signer)
entry fun add_authentication_function(&signer, address, String, String)
public entry fun add_dispatchable_authentication_function(&signer, address, String, String)
public entry fun register_derivable_authentication_function(&signer, address, String, String)
entry fun remove_authentication_function(&signer, address, String, String)
entry fun remove_authenticator(&signer)
public entry fun remove_dispatchable_authentication_function(&signer, address, String, String)
public entry fun remove_dispatchable_authenticator(&signer)
`;
