// Digital assets of both generations. Signatures are those of the framework; the notation
// is that of module-text.ts.

/** Interfaces, one module after the other. */
export const TOKENS_MODULES = `
module 0x3::token
public entry fun burn(&signer, address, String, String, u64, u64)
public entry fun burn_by_creator(&signer, address, String, String, u64, u64)
public entry fun create_collection_script(&signer, String, String, String, u64, vector<bool>)
public entry fun create_token_script(&signer, String, String, String, u64, u64, String, address, u64, u64, vector<bool>, vector<String>, vector<vector<u8>>, vector<String>)
public entry fun direct_transfer_script(&signer, &signer, address, String, String, u64, u64)
public entry fun initialize_token_script(&signer)
public entry fun mint_script(&signer, address, String, String, u64)
public entry fun mutate_token_properties(&signer, address, address, String, String, u64, u64, vector<String>, vector<vector<u8>>, vector<String>)
public entry fun opt_in_direct_transfer(&signer, bool)
public entry fun transfer_with_opt_in(&signer, address, String, String, u64, address, u64)

module 0x3::token_transfers
public entry fun cancel_offer_script(signer, address, address, String, String, u64)
public entry fun claim_script(signer, address, address, String, String, u64)
public entry fun offer_script(signer, address, address, String, String, u64, u64)

module 0x4::collection
struct Collection has key { creator: address, description: String, name: String, uri: String, mutation_events: event::EventHandle<MutationEvent> } @member(object::ObjectGroup)
struct MutationEvent has drop, store { mutated_field_name: String }

module 0x4::token
struct MutationEvent has drop, store { mutated_field_name: String, old_value: String, new_value: String }
struct Token has key { collection: Object<0x4::collection::Collection>, index: u64, description: String, name: String, uri: String, mutation_events: event::EventHandle<MutationEvent> } @member(object::ObjectGroup)

module 0x4::aptos_token
public entry fun burn<T0: key>(&signer, Object<T0>)
public entry fun mint(&signer, String, String, String, String, vector<String>, vector<String>, vector<vector<u8>>)
public entry fun set_description<T0: key>(&signer, Object<T0>, String)
public entry fun set_name<T0: key>(&signer, Object<T0>, String)
public entry fun set_uri<T0: key>(&signer, Object<T0>, String)
public entry fun add_property<T0: key>(&signer, Object<T0>, String, String, vector<u8>)
public entry fun add_typed_property<T0: key, T1: drop>(&signer, Object<T0>, String, T1)
public entry fun create_collection(&signer, String, u64, String, String, bool, bool, bool, bool, bool, bool, bool, bool, bool, u64, u64)
public entry fun freeze_transfer<T0: key>(&signer, Object<T0>)
public entry fun mint_soul_bound(&signer, String, String, String, String, vector<String>, vector<String>, vector<vector<u8>>, address)
public entry fun remove_property<T0: key>(&signer, Object<T0>, String)
public entry fun set_collection_description<T0: key>(&signer, Object<T0>, String)
entry fun set_collection_royalties_call<T0: key>(&signer, Object<T0>, u64, u64, address)
public entry fun set_collection_uri<T0: key>(&signer, Object<T0>, String)
public entry fun unfreeze_transfer<T0: key>(&signer, Object<T0>)
public entry fun update_property<T0: key>(&signer, Object<T0>, String, String, vector<u8>)
public entry fun update_typed_property<T0: key, T1: drop>(&signer, Object<T0>, String, T1)
`;
