// SPDX-License-Identifier: Apache-2.0

internal import CLatchPostgres

extension PostgresError {
    /// Creates an error from a failed result.
    ///
    /// Reads the code, the constraint's name, and the primary message of errors that cannot quote values.
    init(_ result: PostgresResult) {
        // libpq's own errors, such as the end of the connection, have no code.
        guard let state = result.errorField(latch_field_sqlstate) else {
            self = .connectionLost
            return
        }
        let isStalePlan = state == "0A000" && result.errorField(latch_field_function) == "RevalidateCachedQuery"
        self = Self.kind(of: state, isStalePlan: isStalePlan, sentence: result.errorField(latch_field_primary))
            .reported(as: state, constraint: result.errorField(latch_field_constraint))
    }

    private static func kind(of state: String, isStalePlan: Bool, sentence: String?) -> PostgresError {
        switch state {
        case "40001", "40P01": .conflict
        case "40003", "08007": .outcomeUnknown
        case "57014": .statementTimeout
        case "55P03": .conflict
        case "22021": .unstorableText
        case "23505": .uniqueViolation
        case "25006": .readOnlyServer
        case "42501": .permissionDenied(sentence ?? "the server reports \(state)")
        // Another node has migrated the table, or a pooler has given this session to another server process.
        case "26000": .staleSession
        case "42P05": .sharedSession
        case "0A000" where isStalePlan: .staleSession
        case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
        case _ where state.utf8.starts(with: "08".utf8): .connectionLost
        case _ where state.utf8.starts(with: "23".utf8): .constraintViolation
        case _ where state.utf8.starts(with: "53".utf8): .serverExhausted
        default: .statementFailed(quotable(sentence, of: state) ?? "the server reports \(state)")
        }
    }

    /// Returns the server's message if it quotes only the statement's text, which contains no values.
    ///
    /// Class 22 (data exceptions) quotes values, and triggers can write anything (P0001).
    private static func quotable(_ sentence: String?, of state: String) -> String? {
        guard ["25", "3D", "3F", "42", "54", "55"].contains(where: { state.utf8.starts(with: $0.utf8) }) else {
            return nil
        }
        return sentence
    }
}
