// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// The permitted operations of a key (`use` and `key_ops`, RFC 7517 §4.2 and §4.3).
struct KeyOperations: OptionSet, Sendable {
    let rawValue: Int

    static let sign = KeyOperations(rawValue: 1)
    static let verify = KeyOperations(rawValue: 2)
    /// The operations of a key without restrictions.
    static let all: KeyOperations = [.sign, .verify]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// Parses the operations of a JSON Web Key.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key is not for signatures, or its operations contradict each other.
    init(_ jwk: JSONObject) throws(JOSEError) {
        let use = try jwk.setText("use")
        guard use == nil || use == "sig" else { throw .unsuitableKey("its use is not sig") }
        guard let names = try jwk.keyOperations() else {
            self = .all
            return
        }
        // RFC 7517 §4.3: `key_ops` must agree with `use`. Unregistered names restrict nothing here.
        guard use == nil || Self.otherNames.isDisjoint(with: names) else {
            throw .unsuitableKey("its key_ops contradict its use")
        }
        self = []
        if names.contains("sign") { insert(.sign) }
        if names.contains("verify") { insert(.verify) }
        guard !isEmpty else { throw .unsuitableKey("its key_ops are not those of signatures") }
    }

    /// The operations that are not for signatures (RFC 7517 §4.3).
    private static let otherNames: Set<String> = [
        "encrypt", "decrypt", "wrapKey", "unwrapKey", "deriveKey", "deriveBits",
    ]

    /// The operations in the notation of a JSON Web Key.
    var names: [JSONValue] {
        (contains(.sign) ? ["sign"] : []) + (contains(.verify) ? ["verify"] : [])
    }
}

extension JSONObject {
    /// Returns the `key_ops` of a JSON Web Key; nil if there are none, or for null or an empty list, which .NET writes.
    ///
    /// - Throws: `JOSEError.unsuitableKey` unless they are strings without duplicates (RFC 7517 §4.3).
    func keyOperations() throws(JOSEError) -> [String]? {
        guard let member = self["key_ops"], !member.isNull, member != [] else { return nil }
        let names = member.arrayValue?.compactMap(\.stringValue) ?? []
        guard names.count == member.arrayValue?.count, Set(names).count == names.count else {
            throw .unsuitableKey("its key_ops are not a list of different names")
        }
        return names
    }
}
