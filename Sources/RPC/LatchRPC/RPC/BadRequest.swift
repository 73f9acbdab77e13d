// SPDX-License-Identifier: Apache-2.0

extension RPCError {
    /// Creates the error for a request that violates rules.
    ///
    /// It is `invalid_argument` with a `google.rpc.BadRequest` as its detail (google/rpc/error_details.proto). It
    /// contains no values of fields, except keys of maps in paths.
    public init(violations: [Violation]) {
        let text = violations.map(\.description).joined(separator: "; ")
        do throws(ProtoError) {
            self.init(.invalidArgument, text, details: [try ProtoAny(packing: BadRequest(violations))])
        } catch {
            // In this case only the message lists the violations.
            self.init(.invalidArgument, text)
        }
    }

    /// The violated rules of a refused request, read from its `google.rpc.BadRequest`; empty for other errors.
    public var violations: [Violation] { detail(BadRequest.self)?.violations ?? [] }
}

/// The invalid fields of a request (`google.rpc.BadRequest`).
struct BadRequest: Message {
    static let schema = MessageSchema(
        "google.rpc.BadRequest", "1 field_violations message 0 repeated", types: [Field.self])

    var storage: MessageStorage

    init(storage: MessageStorage) { self.storage = storage }

    init(_ violations: [Violation]) {
        storage = MessageStorage(Self.schema)
        storage[messages: 0] = violations.map(Field.init)
    }

    /// The violations; a server may send other reasons than the names of rules.
    var violations: [Violation] {
        let fields: [Field] = storage[messages: 0]
        return fields.map { field in
            Violation(
                path: field.storage[string: 0], rule: field.storage[string: 2], message: field.storage[string: 1])
        }
    }

    /// A violation by one field (`google.rpc.BadRequest.FieldViolation`).
    struct Field: Message {
        static let schema = MessageSchema(
            "google.rpc.BadRequest.FieldViolation",
            """
            1 field string
            2 description string
            3 reason string
            """)

        var storage: MessageStorage

        init(storage: MessageStorage) { self.storage = storage }

        init(_ violation: Violation) {
            storage = MessageStorage(Self.schema)
            storage[string: 0] = violation.path
            storage[string: 1] = violation.message
            storage[string: 2] = violation.rule
        }
    }
}
