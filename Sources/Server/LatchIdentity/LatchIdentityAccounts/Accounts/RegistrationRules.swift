// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

extension Registration {
    /// Checks attributes and terms.
    ///
    /// - Throws: `IdentityError.invalidInput` with the attribute's name as its field, or `.termsRequired`.
    package func check(_ configuration: IdentityConfiguration) throws(IdentityError) {
        try AttributeRules(configuration).check(attributes, by: .registration)
        try AttributeRules.requireSize(attributes)
        if let version = configuration.termsVersion, acceptedTerms != version { throw .termsRequired(version: version) }
        if let acceptedTerms {
            guard (1...64).contains(acceptedTerms.utf8.count), acceptedTerms.isPlain else {
                throw .invalid("acceptedTerms", "must have 1 to 64 bytes and no control characters")
            }
        }
    }
}
