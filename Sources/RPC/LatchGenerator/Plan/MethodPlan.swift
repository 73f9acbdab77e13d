// SPDX-License-Identifier: Apache-2.0

public import LatchProto

/// One call of a service as an action of its client.
public struct MethodPlan {
    /// The method.
    public let method: MethodDescriptor
    /// What is sent.
    public let request: MessageDescriptor
    /// What is answered.
    public let answer: MessageDescriptor
    /// The name of the action, as a case of an enum.
    public let caseName: String
    /// What its answer does to the state.
    public let strategy: StateStrategy
    /// The index of the collection that it is about, in the plan of the service.
    public let collection: Int?
    /// Where the answer holds the items; `.none` where the strategy needs none.
    public let items: AnswerItems
    /// The field of the request that holds the key of the item that is meant.
    public let requestKey: FieldDescriptor?
    /// What the answer says about pages.
    public let page: PagePlan
    /// Whether it is pointless without the network.
    public let requiresNetwork: Bool
    /// Whether it changes the state.
    public let modifiesState: Bool
    /// Whether the state says that something is loading meanwhile.
    public let showsLoading: Bool
    /// Whether an answer of before stands in while the network is out of reach.
    public let supportsOffline: Bool
    /// Whether and where answers are kept.
    public let cache: CacheStrategy
    /// What the action does, for its documentation.
    public let documentation: String?
    /// Conditions that the request fulfils, as they are written.
    public let rules: [RuleText]
    /// What single fields of the request must hold.
    public let constraints: [FieldConstraint]

    /// Whether its author says that doing it twice does no harm: NO_SIDE_EFFECTS or IDEMPOTENT as idempotency_level.
    public var isIdempotent: Bool { [1, 2].contains(method.options.message.integer(34)) }

    /// Whether the answer says nothing (`google.protobuf.Empty`).
    public var answersNothing: Bool { answer.fullName == "google.protobuf.Empty" }
}

/// Where an answer holds the items of a collection.
public enum AnswerItems {
    /// Nowhere.
    case none
    /// The answer is one.
    case itself
    /// In a field that holds one.
    case one(FieldDescriptor)
    /// In a field that holds several.
    case many(FieldDescriptor)
}

/// The fields of an answer that tell of further pages; nil for those that it does not have.
public struct PagePlan {
    /// Where the next page begins.
    public var cursor: FieldDescriptor?
    /// How many items there are in all.
    public var total: FieldDescriptor?
    /// Whether there is a next page.
    public var hasMore: FieldDescriptor?

    /// Whether the answer tells nothing.
    public var isEmpty: Bool { cursor == nil && total == nil && hasMore == nil }
}

/// A condition as it is written in an option, and where.
public struct RuleText: Hashable {
    /// The condition.
    public let text: String
    /// Where it begins; nil where the file was not read as text.
    public let place: Place?
}

/// What a field must hold by its options.
public struct FieldConstraint {
    /// The field.
    public let field: FieldDescriptor
    /// Where it is said.
    public let place: Place?
    /// Whether something must be there.
    public var isRequired = false
    /// What its text must match, as a regular expression.
    public var pattern: String?
    /// The least number.
    public var minimum: Double?
    /// The greatest number.
    public var maximum: Double?
    /// How many characters, bytes or entries there must be.
    public var minLength: Int?
    /// How many characters, bytes or entries there may be.
    public var maxLength: Int?
    /// What kind of text it is, such as `email`.
    public var formats: [Format] = []

    /// A kind of text.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// An address with an `@` between two parts.
        case email
        /// A UUID (RFC 9562 §4).
        case uuid
        /// An absolute URL.
        case url
    }

    /// Whether it asks for nothing.
    var isEmpty: Bool {
        !isRequired && pattern == nil && minimum == nil && maximum == nil && minLength == nil && maxLength == nil
            && formats.isEmpty
    }
}
