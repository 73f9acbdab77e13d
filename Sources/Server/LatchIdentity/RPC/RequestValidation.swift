// SPDX-License-Identifier: Apache-2.0

/// A rule of a request, after the contract's options, which generated clients check as well.
struct ValidationRule {
    let holds: Bool
    /// The message of a broken rule, which names the field and never its value.
    let message: String

    static func filled(_ value: String, _ field: String) -> ValidationRule {
        ValidationRule(holds: !value.isEmpty, message: "\(field) must not be empty")
    }

    static func address(_ email: String) -> ValidationRule {
        ValidationRule(holds: email.utf8.contains(UInt8(ascii: "@")), message: "email must contain '@'")
    }

    /// Counts Unicode scalars, as ``PasswordPolicy`` does.
    static func password(_ value: String, _ field: String) -> ValidationRule {
        let minimum = PasswordPolicy.minimumLength
        return ValidationRule(
            holds: value.unicodeScalars.count >= minimum, message: "\(field) must have \(minimum) characters or more")
    }
}

extension [ValidationRule] {
    /// Checks all rules.
    ///
    /// - Throws: `IdentityError.invalidInput`, with the messages of all broken rules.
    func validate() throws(IdentityError) {
        let broken = filter { !$0.holds }.map(\.message)
        guard broken.isEmpty else { throw .invalidInput.with(message: broken.joined(separator: "; ") + ".") }
    }
}
