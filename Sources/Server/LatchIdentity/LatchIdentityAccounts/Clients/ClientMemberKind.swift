// SPDX-License-Identifier: Apache-2.0

extension OAuthClient {
    /// The kinds of values that members have.
    package enum MemberKind: Sendable {
        case flag, list, number, text
    }

    /// The members of a client but its ID, with the kinds of their values.
    package static var memberKinds: [(name: String, kind: MemberKind)] {
        ClientField.all.map { field in
            let kind: MemberKind =
                switch field.form {
                case .flag: .flag
                case .list: .list
                case .number: .number
                case .algorithm, .text, .title, .json: .text
                }
            return (field.name, kind)
        }
    }
}
