// Staking, delegation, vesting and governance. Signatures are those of the framework; the notation
// is that of module-text.ts.

/** Interfaces, one module after the other. */
export const STAKING_MODULES = `
module 0x1::stake
struct IndividualValidatorPerformance has drop, store { successful_proposals: u64, failed_proposals: u64 }
struct ValidatorConfig has copy, drop, store, key { consensus_pubkey: vector<u8>, network_addresses: vector<u8>, fullnode_addresses: vector<u8>, validator_index: u64 }
struct ValidatorInfo has copy, drop, store { addr: address, voting_power: u64, config: ValidatorConfig }
struct ValidatorPerformance has key { validators: vector<IndividualValidatorPerformance> }
struct ValidatorSet has copy, drop, store, key { consensus_scheme: u8, active_validators: vector<ValidatorInfo>, pending_inactive: vector<ValidatorInfo>, pending_active: vector<ValidatorInfo>, total_voting_power: u128, total_joining_power: u128 }
public entry fun withdraw(&signer, u64)
public entry fun add_stake(&signer, u64)
public view fun get_current_epoch_proposal_counts(u64): u64, u64
public view fun get_current_epoch_voting_power(address): u64
public view fun get_delegated_voter(address): address
public view fun get_lockup_secs(address): u64
public view fun get_operator(address): address
public view fun get_pending_transaction_fee(): vector<u64>
public view fun get_pool_address_for_owner(address): address
public view fun get_remaining_lockup_secs(address): u64
public view fun get_stake(address): u64, u64, u64, u64
public view fun get_validator_config(address): vector<u8>, vector<u8>, vector<u8>
public view fun get_validator_index(address): u64
public view fun get_validator_state(address): u64
public entry fun increase_lockup(&signer)
public entry fun initialize_stake_owner(&signer, u64, address, address)
public entry fun initialize_validator(&signer, vector<u8>, vector<u8>, vector<u8>, vector<u8>)
public entry fun join_validator_set(&signer, address)
public entry fun leave_validator_set(&signer, address)
public view fun owner_cap_exists(address): bool
public entry fun reactivate_stake(&signer, u64)
public entry fun rotate_consensus_key(&signer, address, vector<u8>, vector<u8>)
public entry fun set_delegated_voter(&signer, address)
public entry fun set_operator(&signer, address)
public view fun stake_pool_exists(address): bool
public entry fun unlock(&signer, u64)
public entry fun update_network_and_fullnode_addresses(&signer, address, vector<u8>, vector<u8>)

module 0x1::delegation_pool
public view fun partial_governance_voting_enabled(address): bool
public entry fun withdraw(&signer, address, u64)
public entry fun create_proposal(&signer, address, vector<u8>, vector<u8>, vector<u8>, bool)
public entry fun vote(&signer, address, u64, u64, bool)
public entry fun add_stake(&signer, address, u64)
public view fun get_owned_pool_address(address): address
public view fun get_stake(address, address): u64, u64, u64
public view fun owner_cap_exists(address): bool
public entry fun reactivate_stake(&signer, address, u64)
public entry fun set_delegated_voter(&signer, address)
public entry fun set_operator(&signer, address)
public entry fun unlock(&signer, address, u64)
public entry fun allowlist_delegator(&signer, address)
public view fun allowlisting_enabled(address): bool
public view fun beneficiary_for_operator(address): address
public view fun calculate_and_update_delegator_voter(address, address): address
public view fun calculate_and_update_remaining_voting_power(address, address, u64): u64
public view fun calculate_and_update_voter_total_voting_power(address, address): u64
public view fun calculate_and_update_voting_delegation(address, address): address, address, u64
public view fun can_withdraw_pending_inactive(address): bool
public entry fun delegate_voting_power(&signer, address, address)
public view fun delegation_pool_exists(address): bool
public view fun delegator_allowlisted(address, address): bool
public entry fun disable_delegators_allowlisting(&signer)
public entry fun enable_delegators_allowlisting(&signer)
public entry fun enable_partial_governance_voting(address)
public entry fun evict_delegator(&signer, address)
public view fun get_add_stake_fee(address, u64): u64
public view fun get_delegation_pool_stake(address): u64, u64, u64, u64
public view fun get_delegators_allowlist(address): vector<address>
public view fun get_expected_stake_pool_address(address, vector<u8>): address
public view fun get_pending_withdrawal(address, address): bool, u64
public entry fun initialize_delegation_pool(&signer, u64, vector<u8>)
public view fun operator_commission_percentage(address): u64
public view fun is_next_commission_percentage_effective(address): bool
public view fun min_remaining_secs_for_commission_change(): u64
public view fun observed_lockup_cycle(address): u64
public view fun operator_commission_percentage_next_lockup_cycle(address): u64
public entry fun remove_delegator_from_allowlist(&signer, address)
public entry fun set_beneficiary_for_operator(&signer, address)
public view fun shareholders_count_active_pool(address): u64
public entry fun synchronize_delegation_pool(address)
public entry fun update_commission_percentage(&signer, u64)

module 0x1::staking_contract
public entry fun add_stake(&signer, address, u64)
public entry fun set_beneficiary_for_operator(&signer, address)
public entry fun create_staking_contract(&signer, address, address, u64, u64, vector<u8>)
public entry fun distribute(address, address)
public entry fun request_commission(&signer, address, address)
public entry fun reset_lockup(&signer, address)
public entry fun switch_operator(&signer, address, address, u64)
public entry fun switch_operator_with_same_commission(&signer, address, address)
public entry fun unlock_rewards(&signer, address)
public entry fun unlock_stake(&signer, address, u64)
public entry fun update_commision(&signer, address, u64)
public entry fun update_voter(&signer, address, address)

module 0x1::staking_proxy
public entry fun set_operator(&signer, address, address)
public entry fun set_stake_pool_operator(&signer, address)
public entry fun set_stake_pool_voter(&signer, address)
public entry fun set_staking_contract_operator(&signer, address, address)
public entry fun set_staking_contract_voter(&signer, address, address)
public entry fun set_vesting_contract_operator(&signer, address, address)
public entry fun set_vesting_contract_voter(&signer, address, address)
public entry fun set_voter(&signer, address, address)

module 0x1::vesting
public entry fun set_beneficiary_for_operator(&signer, address)
public entry fun update_commission_percentage(&signer, address, u64)
public entry fun distribute(address)
public entry fun reset_lockup(&signer, address)
public entry fun unlock_rewards(address)
public entry fun update_voter(&signer, address, address)
public entry fun admin_withdraw(&signer, address)
public entry fun distribute_many(vector<address>)
public entry fun reset_beneficiary(&signer, address, address)
public entry fun set_beneficiary(&signer, address, address, address)
public entry fun set_beneficiary_resetter(&signer, address, address)
public entry fun set_management_role(&signer, address, String, address)
public entry fun terminate_vesting_contract(&signer, address)
public entry fun unlock_rewards_many(vector<address>)
public entry fun update_operator(&signer, address, address, u64)
public entry fun update_operator_with_same_commission(&signer, address, address)
public entry fun vest(address)
public entry fun vest_many(vector<address>)

module 0x1::aptos_governance
public entry fun create_proposal(&signer, address, vector<u8>, vector<u8>, vector<u8>)
public entry fun create_proposal_v2(&signer, address, vector<u8>, vector<u8>, vector<u8>, bool)
public entry fun vote(&signer, address, u64, bool)
public view fun get_voting_power(address): u64
public entry fun reconfigure(&signer)
public entry fun add_approved_script_hash_script(u64)
public entry fun batch_partial_vote(&signer, vector<address>, u64, u64, bool)
public entry fun batch_vote(&signer, vector<address>, u64, bool)
public entry fun force_end_epoch(&signer)
public entry fun force_end_epoch_test_only(&signer)
public view fun get_min_voting_threshold(): u128
public view fun get_remaining_voting_power(address, u64): u64
public view fun get_required_proposer_stake(): u64
public view fun get_voting_duration_secs(): u64
public view fun has_entirely_voted(address, u64): bool
public entry fun partial_vote(&signer, address, u64, u64, bool)
`;
