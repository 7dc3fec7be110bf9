// The demo module: one entry function for each parameter type that a transaction can carry, and the functions that the
// local chain's transactions call.

/** Interface of the demo module; `demo` stands for its address. */
export const DEMO_MODULES = `
module demo::demo
error 1 ENOT_PUBLISHER Only the publisher of the module sets prices
error 2 ENO_ORDER There is no order in the slot
error 3 ESLOT_TAKEN The slot has an order
error 4 EOVERFILLED The order is smaller than that
error 5 EUSED_ACCOUNT The account has sent transactions with sequence numbers, or does not exist
struct Gold has drop { dummy_field: bool }
struct Token<phantom T0, phantom T1> has key { dummy_field: bool }
struct Market has key { prices: table::Table<String, u64>, orders: table::Table<u64, Order> }
struct Order has copy, drop, store { owner: address, asset: address, amount: u64, filled: u64 }
struct Point has copy, drop, store { x: u64, y: i64 }
struct Route has copy, drop, store { name: String, stops: vector<Point>, end: Option<Point> }
struct Pair<T0, T1> has copy, drop, store { first: T0, second: T1 }
enum Shape has copy, drop, store { Dot { }, Circle { center: Point, radius: u32 }, Path { points: vector<Point> } }
enum Choice<T0> has copy, drop, store { Nothing { }, One { value: T0 }, Many { values: vector<T0> } }
public entry fun take_bool(&signer, bool)
public entry fun take_u8(&signer, u8)
public entry fun take_u16(&signer, u16)
public entry fun take_u32(&signer, u32)
public entry fun take_u64(&signer, u64)
public entry fun take_u128(&signer, u128)
public entry fun take_u256(&signer, u256)
public entry fun take_i8(&signer, i8)
public entry fun take_i16(&signer, i16)
public entry fun take_i32(&signer, i32)
public entry fun take_i64(&signer, i64)
public entry fun take_i128(&signer, i128)
public entry fun take_i256(&signer, i256)
public entry fun take_address(&signer, address)
public entry fun take_bytes(&signer, vector<u8>)
public entry fun take_addresses(&signer, vector<address>)
public entry fun take_matrix(&signer, vector<vector<u64>>)
public entry fun take_string(&signer, String)
public entry fun take_strings(&signer, vector<String>)
public entry fun take_option(&signer, Option<u64>)
public entry fun take_option_string(&signer, Option<String>)
public entry fun take_object(&signer, Object<fungible_asset::Metadata>)
public entry fun take_generic<T0: copy + drop>(&signer, T0)
public entry fun take_generic_vector<T0: copy + drop>(&signer, vector<T0>)
public entry fun take_generic_object<T0: key>(&signer, Object<T0>)
public entry fun take_type<T0>(&signer)
public entry fun take_point(&signer, Point)
public entry fun take_route(&signer, Route)
public entry fun take_pair(&signer, Pair<u64, String>)
public entry fun take_shape(&signer, Shape)
public entry fun take_choice<T0: copy + drop + store>(&signer, Choice<T0>)
public entry fun take_nothing()
public entry fun take_many(&signer, bool, u8, u64, address, String, vector<u8>, Option<address>)
public entry fun set_price(&signer, String, u64)
public entry fun remove_price(&signer, String)
public entry fun place_order(&signer, u64, Object<fungible_asset::Metadata>, u64)
public entry fun fill_order(&signer, u64, u64)
public entry fun cancel_order(&signer, u64)
public entry fun swap(&signer, &signer, u64, u64)
public entry fun setup(&signer, u64)
public entry fun close_account(&signer, address, address)
public view fun price(String): Option<u64>
public view fun order(u64): Option<Order>
`;
