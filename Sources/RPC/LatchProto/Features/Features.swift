// SPDX-License-Identifier: Apache-2.0

/// How a declaration behaves where the editions of the language differ (`FeatureSet`).
public struct Features: Sendable, Hashable {
    /// Whether a field knows that it was set.
    public enum FieldPresence: Int64, Sendable, Hashable {
        case explicit = 1
        case implicit, legacyRequired
    }

    /// Whether an enum takes numbers that it does not name.
    public enum EnumType: Int64, Sendable, Hashable {
        case open = 1
        case closed
    }

    /// How repeated numbers are written.
    public enum RepeatedFieldEncoding: Int64, Sendable, Hashable {
        case packed = 1
        case expanded
    }

    /// Whether text must be UTF-8.
    public enum UTF8Validation: Int64, Sendable, Hashable {
        case verify = 2
        case none
    }

    /// How messages are written into others.
    public enum MessageEncoding: Int64, Sendable, Hashable {
        case lengthPrefixed = 1
        case delimited
    }

    /// Whether names in JSON must be different.
    public enum JSONFormat: Int64, Sendable, Hashable {
        case allow = 1
        case legacyBestEffort
    }

    /// Which rules names are held to; those of later editions hold besides those of earlier ones.
    enum NamingStyle: Int64 {
        case style2024 = 1
        case legacy, style2026
    }

    /// Who may see a message or an enum that does not say.
    enum SymbolVisibility: Int64 {
        case exportAll = 1
        case exportTopLevel, localAll, strict
    }

    /// Whether a field knows that it was set.
    public var fieldPresence: FieldPresence
    /// Whether an enum takes numbers that it does not name.
    public var enumType: EnumType
    /// How repeated numbers are written.
    public var repeatedFieldEncoding: RepeatedFieldEncoding
    /// Whether text must be UTF-8.
    public var utf8Validation: UTF8Validation
    /// How messages are written into others.
    public var messageEncoding = MessageEncoding.lengthPrefixed
    /// Whether names in JSON must be different.
    public var jsonFormat: JSONFormat
    /// Which rules names are held to.
    var namingStyle = NamingStyle.legacy
    /// Who may see a message or an enum that does not say.
    var symbolVisibility = SymbolVisibility.exportAll
    /// Whether messages, oneofs and enums may have any number of parts.
    var isWithoutLimits = true

    /// What holds in an edition where nothing else is said.
    public init(defaultsOf edition: Edition) {
        let isProto2 = edition < .proto3
        fieldPresence = edition == .proto3 ? .implicit : .explicit
        enumType = isProto2 ? .closed : .open
        repeatedFieldEncoding = isProto2 ? .expanded : .packed
        utf8Validation = isProto2 ? .none : .verify
        jsonFormat = isProto2 ? .legacyBestEffort : .allow
        if edition >= .edition2024 { (namingStyle, symbolVisibility) = (.style2024, .exportTopLevel) }
        if edition >= .edition2026 { (namingStyle, symbolVisibility, isWithoutLimits) = (.style2026, .strict, false) }
    }

    /// What holds where `options`, a `FeatureSet`, says something else.
    func merging(_ options: OptionMessage?) -> Features {
        guard let options else { return self }
        var merged = self
        if let value = options.integer(1).flatMap(FieldPresence.init) { merged.fieldPresence = value }
        if let value = options.integer(2).flatMap(EnumType.init) { merged.enumType = value }
        if let value = options.integer(3).flatMap(RepeatedFieldEncoding.init) { merged.repeatedFieldEncoding = value }
        if let value = options.integer(4).flatMap(UTF8Validation.init) { merged.utf8Validation = value }
        if let value = options.integer(5).flatMap(MessageEncoding.init) { merged.messageEncoding = value }
        if let value = options.integer(6).flatMap(JSONFormat.init) { merged.jsonFormat = value }
        if let value = options.integer(7).flatMap(NamingStyle.init) { merged.namingStyle = value }
        if let value = options.integer(8).flatMap(SymbolVisibility.init) { merged.symbolVisibility = value }
        if let value = options.integer(9) { merged.isWithoutLimits = value == 1 }
        return merged
    }
}
