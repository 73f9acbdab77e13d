// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
public import LatchTexts
import LatchUI
public import Observation

/// The model of a profile that is edited; a draft survives an invalid value and a failed save.
@MainActor @Observable
public final class ProfileViewModel {
    /// The state of the profile.
    public enum State: Equatable, Sendable {
        /// No profile is loaded yet.
        case idle
        /// The profile is being loaded, or saved.
        case loading
        case loaded(UserProfile)
        /// The profile as the user has changed it so far.
        case editing(draft: UserProfile)
        /// A failure, with the draft that caused it; nil if the profile was not edited.
        case error(Phrase, draft: UserProfile?)
    }

    /// What the view shows; idle until the profile is loaded.
    public private(set) var state = State.idle
    private var saved: UserProfile?
    private let store: any ProfileStore

    /// Creates the model of a store.
    public init(store: any ProfileStore) { self.store = store }

    /// Loads the profile.
    public func load() async {
        guard state != .loading else { return }
        state = .loading
        do {
            saved = try await store.load()
            state = saved.map { .loaded($0) } ?? .idle
        } catch {
            state = .error(ScreenFailure(error).phrase, draft: nil)
        }
    }

    /// Begins to edit, or continues with the draft of a failed save.
    public func edit() {
        switch state {
        case .loaded(let profile): state = .editing(draft: profile)
        case .error(_, let draft?): state = .editing(draft: draft)
        case .idle, .loading, .editing, .error: break
        }
    }

    /// Replaces the draft.
    public func change(_ draft: UserProfile) {
        if case .editing = state { state = .editing(draft: draft) }
    }

    /// Drops the draft.
    public func cancel() { state = saved.map { .loaded($0) } ?? .idle }

    /// Saves the draft; an invalid profile is not sent.
    public func save() async {
        guard case .editing(let draft) = state else { return }
        if let problem = Self.problem(of: draft) {
            state = .error(problem, draft: draft)
            return
        }
        state = .loading
        do {
            try await store.save(draft)
            saved = draft
            state = .loaded(draft)
        } catch {
            state = .error(ScreenFailure(error).phrase, draft: draft)
        }
    }

    private static func problem(of draft: UserProfile) -> Phrase? {
        guard ProfileRules.validateUsername(draft.username) else {
            return Phrase("field.required", .phrase(Phrase("field.username")))
        }
        return ProfileRules.validateEmail(draft.email) ? nil : Phrase("field.email.invalid")
    }
}
