// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import LatchRPC

/// Reads bytes as a message: what is accepted is written as bytes that say the same, and a copy that was changed leaves
/// the first one as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessage(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = bytes(data, count)
    guard let message = try? AllKinds(serialized: bytes, extensions: [AllKinds.nick]),
        let written = try? message.serialized(deterministic: true)
    else { return 0 }
    let again = try? AllKinds(serialized: written, extensions: [AllKinds.nick])
    hold(again != nil, "what was written can be read")
    hold((try? again?.serialized(deterministic: true)) == written, "what is read again is written as before")
    var copy = message
    // Longer than anything that the input can hold.
    let secret = String(repeating: "§", count: count + 1)
    copy.storage[string: AllKinds.token] = secret
    hold(copy.storage[string: AllKinds.token] == secret, "a field holds what is set")
    hold(!copy.description.contains(secret), "a secret is not shown")
    _ = try? copy.merge(serialized: bytes, extensions: [AllKinds.nick])
    copy[AllKinds.nick] = "changed"
    hold((try? message.serialized(deterministic: true)) == written, "a copy is a value of its own")
    return 0
}

/// A message with a field of every kind.
struct AllKinds: Message {
    static let schema = MessageSchema(
        "fuzz.AllKinds",
        """
        1 a double
        2 b float optional
        3 c int32
        4 d int64 oneof 0
        5 e uint32 oneof 0
        6 f uint64
        7 g sint32 optional default "-7"
        8 h sint64
        9 i fixed32
        10 j fixed64
        11 k sfixed32
        12 l sfixed64
        13 m bool
        14 n string
        15 o bytes
        16 p message 0
        17 q message 0 oneof 0
        18 r group 0
        19 s closed 1 optional
        20 t string oneof 0
        33 ra double repeated
        34 rc int32 repeated
        35 rf uint64 expanded
        36 rm bool repeated
        37 rn string repeated
        38 ro bytes repeated
        39 rp message 0 repeated
        40 rr group 0 repeated
        41 rs closed 1 repeated
        42 rg sint64 repeated
        43 ri fixed32 repeated
        50 ma map string int32
        51 mb map int64 message 0
        52 mc map bool closed 1
        53 md map sfixed32 bytes
        54 me map uint32 double
        60 raw string
        61 token string secret
        5000 far string
        extensions 100 199
        """,
        types: [AllKinds.self, Grade.self])

    /// The slot of `token`.
    static let token = 37

    static let nick = Extension<AllKinds, String>("100 fuzz.nick string optional")

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }
}

/// A closed enum.
enum Grade: Int32, ProtoEnum {
    case a = 1
    case b = -3

    static let schema = EnumSchema("fuzz.Grade", "1 A\n-3 B")
}
