// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// The processing of critical header parameters: `crit` (RFC 7515 §4.1.11) and `b64` (RFC 7797).
enum CriticalParameters {
    /// The names that `crit` must not contain, because RFC 7515, RFC 7516 and RFC 7518 define them.
    private static let registered: Set<String> = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc", "zip", "epk", "apu",
        "apv", "iv", "tag", "p2s", "p2c",
    ]

    /// Rejects a header with critical parameters that are not understood, or that violate the rules.
    ///
    /// - Parameters:
    ///   - protected: The protected parameters; only these may be critical.
    ///   - unprotected: The unprotected parameters.
    ///   - understood: The critical parameters that the caller processes, besides `b64`.
    /// - Returns: The encoding of the payload.
    static func check(
        protected: JSONObject, unprotected: JSONObject = [:], understood: Set<String>
    ) throws(JOSEError) -> JWSEncoding {
        guard unprotected["crit"] == nil, unprotected["b64"] == nil else { throw .refusedExtension }
        let demanded = try names(in: protected)
        for name in demanded where name != "b64" {
            guard understood.contains(name) else { throw .refusedExtension }
        }
        guard let isEncoded = protected["b64"] else { return .base64url }
        // RFC 7797 §6: a verifier without support for `b64` must reject it, so `crit` must contain it.
        guard demanded.contains("b64") else { throw .refusedExtension }
        guard let isEncoded = isEncoded.boolValue else { throw .malformedToken("its b64 is not a boolean") }
        return isEncoded ? .base64url : .unencoded
    }

    /// Rejects the header of a JWE with critical parameters that are not understood, or that violate the rules.
    ///
    /// RFC 7516 §4.1.13 applies the rules of a JWS. A JWE has no `b64`.
    ///
    /// - Parameters:
    ///   - header: The header, all of which is protected.
    ///   - understood: The critical parameters that the caller processes.
    static func checkEncryption(_ header: JSONObject, understood: Set<String>) throws(JOSEError) {
        guard header["b64"] == nil else { throw .refusedExtension }
        for name in try names(in: header) where !understood.contains(name) { throw .refusedExtension }
    }

    /// Rejects a header that every verifier would have to reject.
    static func requireReadable(protected: JSONObject, unprotected: JSONObject = [:]) throws(JOSEError) {
        do {
            _ = try JOSEHeader(JSONObject(Array(protected) + Array(unprotected)))
            let demanded = protected["crit"]?.arrayValue?.compactMap(\.stringValue) ?? []
            _ = try check(protected: protected, unprotected: unprotected, understood: Set(demanded))
        } catch {
            throw .unsignable("every reader would refuse the header, for its typ, its kid, or its crit")
        }
    }

    /// Returns the names in `crit`; empty if there is no `crit`.
    private static func names(in protected: JSONObject) throws(JOSEError) -> Set<String> {
        guard let crit = protected["crit"] else { return [] }
        // RFC 7515 §4.1.11: the list is not empty; each name occurs once, is present, and belongs to an extension.
        guard let list = crit.arrayValue, !list.isEmpty else { throw .refusedExtension }
        var names: Set<String> = []
        for element in list {
            guard let name = element.stringValue, name.utf8.allSatisfy({ $0 < 0x80 }), !registered.contains(name),
                protected[name] != nil, names.insert(name).inserted
            else { throw .refusedExtension }
        }
        return names
    }
}
