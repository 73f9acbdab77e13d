// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A method of a service as an action of its client.
struct MethodPlan {
    let method: MethodDescriptor
    let request: MessageDescriptor
    let response: MessageDescriptor
    /// The name of the action's enum case.
    let caseName: String
    /// The effect of the response on the state.
    let strategy: StateStrategy
    /// The index of the method's collection in the plan of the service.
    let collection: Int?
    /// The location of the items in the response; `.none` if the strategy needs none.
    let items: ResponseItems
    /// The request's field that contains the key of the item.
    let requestKey: FieldDescriptor?
    /// The pagination fields of the response.
    let page: PagePlan
    /// Whether the action requires the network.
    let requiresNetwork: Bool
    /// Whether the action changes the state.
    let modifiesState: Bool
    /// Whether the state is loading while the action runs.
    let showsLoading: Bool
    /// Whether a cached response is used while the network is unreachable.
    let supportsOffline: Bool
    /// The cache of the responses.
    let cache: CacheStrategy
    /// The documentation of the action.
    let documentation: String?
    /// The rules that a request must satisfy.
    let requirements: RequestRules

    /// Whether the method declares an `idempotency_level` of NO_SIDE_EFFECTS or IDEMPOTENT.
    var isIdempotent: Bool { method.idempotencyLevel != .unknown }

    /// Whether the response is `google.protobuf.Empty`.
    var hasEmptyResponse: Bool { response.fullName == "google.protobuf.Empty" }
}

/// The location of a collection's items in a response.
enum ResponseItems {
    /// The response contains no items.
    case none
    /// The response itself is the item.
    case itself
    /// A singular field of the response.
    case one(FieldDescriptor)
    /// A repeated field of the response.
    case many(FieldDescriptor)
}

/// The pagination fields of a response; nil for missing ones.
struct PagePlan {
    /// The cursor of the next page.
    var cursor: FieldDescriptor?
    /// The total number of items.
    var total: FieldDescriptor?
    /// The field that indicates whether there is a next page.
    var hasMore: FieldDescriptor?

    /// Whether the response has no pagination fields.
    var isEmpty: Bool { cursor == nil && total == nil && hasMore == nil }
}

/// The rules that a method's requests must satisfy; they also apply to each message of a stream.
struct RequestRules {
    let method: MethodDescriptor
    /// The conditions, as written.
    let rules: [RuleText]
    /// The constraints on the fields of the request and of its nested messages.
    let constraints: [FieldConstraint]
}

/// A condition as an option states it, and its source position.
struct RuleText: Hashable {
    /// The condition.
    let text: String
    /// The start of the condition; nil if the file was not parsed from source.
    let place: SourcePosition?
}

/// The constraints that a field's options set.
struct FieldConstraint {
    let field: FieldDescriptor
    /// The fields from the request to the message that contains the field; empty for a field of the request itself.
    var owners: [FieldDescriptor] = []
    /// The source position of the option.
    let place: SourcePosition?
    /// Whether the field must not be empty.
    var isRequired = false
    /// A regular expression that the text must match.
    var pattern: String?
    /// The minimum number.
    var minimum: Double?
    /// The maximum number.
    var maximum: Double?
    /// The minimum number of characters, bytes or elements.
    var minLength: Int?
    /// The maximum number of characters, bytes or elements.
    var maxLength: Int?
    /// The formats of the text, such as `email`.
    var formats: [Format] = []

    /// A format of text.
    enum Format: String, Sendable, Hashable, CaseIterable {
        /// An address with an `@` between two parts.
        case email
        /// A UUID (RFC 9562 §4).
        case uuid
        /// An absolute URL.
        case url
    }

    /// Whether the field has no constraints.
    var isEmpty: Bool {
        !isRequired && pattern == nil && minimum == nil && maximum == nil && minLength == nil && maxLength == nil
            && formats.isEmpty
    }
}
