// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchIdentityStorage

extension Registration {
    /// Checks attributes and terms.
    ///
    /// - Throws: `IdentityError.invalidInput` with the attribute's name as its field, or `.termsRequired`.
    package func check(_ configuration: IdentityConfiguration) throws(IdentityError) {
        for (name, text) in attributes.sorted(by: { $0.key < $1.key }) {
            guard configuration.signUpAttributes.contains(name) else {
                throw .invalid(
                    name.sanitized(64) ?? "", "is not an attribute of this server",
                    hint: "The server's setting signup_attributes lists the allowed attributes.")
            }
            guard text.utf8.count <= Self.maximumBytes, text.isPlain else {
                throw .invalid(name, "is longer than \(Self.maximumBytes) bytes or contains control characters")
            }
        }
        guard attributes.values.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumTotalBytes else {
            throw .invalid("attributes", "exceed \(Self.maximumTotalBytes) bytes in total")
        }
        if let version = configuration.termsVersion, acceptedTerms != version { throw .termsRequired(version: version) }
        if let acceptedTerms {
            guard (1...64).contains(acceptedTerms.utf8.count), acceptedTerms.isPlain else {
                throw .invalid("acceptedTerms", "must have 1 to 64 bytes and no control characters")
            }
        }
    }
}
