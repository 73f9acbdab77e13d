// SPDX-License-Identifier: Apache-2.0

internal import LatchHTTP

extension HTTPRequest {
    /// Adds what a credential has set to what is dropped beyond the origin and kept out of logs.
    mutating func markCredentials(_ fields: [HTTPFieldName] = [], query names: [String] = []) {
        for field in fields where !isCredential(field) { credentialFields.append(field) }
        for name in names where !credentialQueryNames.contains(name) { credentialQueryNames.append(name) }
    }
}
