// SPDX-License-Identifier: Apache-2.0

extension ExtensionSet {
    /// The schema of an extension by its full name: a message with that one field.
    func schema(named name: some StringProtocol, of message: String) -> MessageSchema? {
        schemas(of: message).first { $0.fields.first.map { $0.name == name } == true }
    }
}
