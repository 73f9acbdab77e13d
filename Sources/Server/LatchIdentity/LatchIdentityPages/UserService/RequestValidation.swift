// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import LatchIdentityAccounts
import LatchIdentityStorage

/// A rule for a request from the options of the contract.
///
/// Generated clients check it too.
struct ValidationRule {
    let holds: Bool
    /// The message for a broken rule.
    ///
    /// It names the field and never its value.
    let message: String
    /// The field that the rule is about.
    let field: String

    static func filled(_ value: String, _ field: String) -> ValidationRule {
        ValidationRule(holds: !value.isEmpty, message: "\(field) must not be empty", field: field)
    }

    static func address(_ email: String) -> ValidationRule {
        ValidationRule(
            holds: email.utf8.contains(UInt8(ascii: "@")), message: "email must contain '@'", field: "email")
    }

    /// Counts Unicode scalars, as ``PasswordAdvice`` does.
    static func password(_ value: String, _ field: String) -> ValidationRule {
        let minimum = PasswordAdvice.minimumLength
        return ValidationRule(
            holds: value.unicodeScalars.count >= minimum, message: "\(field) must have \(minimum) characters or more",
            field: field)
    }
}

extension [ValidationRule] {
    /// Checks all rules.
    ///
    /// - Throws: `IdentityError.invalidInput` with the messages of all broken rules, and the field if only one is
    ///   broken.
    func validate() throws(IdentityError) {
        let broken = filter { !$0.holds }
        guard let first = broken.first else { return }
        throw .invalidInput.with(message: broken.map(\.message).joined(separator: "; ") + ".")
            .at(broken.allSatisfy { $0.field == first.field } ? first.field : nil)
    }
}

extension String {
    /// The name of a message's field in JSON, such as `firstName` for `first_name`.
    var jsonFieldName: String {
        var name = String.UnicodeScalarView()
        var startsWord = false
        for scalar in unicodeScalars {
            if scalar == "_" {
                startsWord = true
            } else {
                name.append(
                    contentsOf: (startsWord ? scalar.properties.uppercaseMapping : String(scalar)).unicodeScalars)
                startsWord = false
            }
        }
        return String(name)
    }
}
