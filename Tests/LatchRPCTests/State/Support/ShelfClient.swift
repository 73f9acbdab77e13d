// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchRPC
import LatchTesting
import Synchronization

/// A client as the generator would write it, over a service of closures.
actor ShelfClient: ServiceClient {
    nonisolated let core: ClientCore<ShelfState>
    private let service: ShelfService
    /// The calls of the hooks.
    private(set) var hooks: [String] = []

    init(_ service: ShelfService, _ state: ShelfState = ShelfState(), _ settings: ClientSettings = ClientSettings()) {
        self.service = service
        core = ClientCore(state, settings: settings)
    }

    func perform(_ action: ShelfAction, in run: ActionRun) async throws {
        try await perform(action, action.book, in: run) { [service] book, _ in
            try await service.call(action.actionName, book)
        } change: { answer, state in
            let rules = ShelfState.rules
            switch action {
            case .add, .quiet: rules.append(answer.books, to: &state.books)
            case .load, .saved, .young: rules.replaceAll(&state.books, with: answer.books)
            case .rename(let book): answer.books.forEach { rules.update($0, withKey: book.id, in: &state.books) }
            case .drop(let book): rules.remove(book.id, from: &state.books)
            case .look: break
            }
        }
    }

    func stateWillUpdate(from old: ShelfState, to new: ShelfState) {
        hooks.append("will \(old.books.count) \(new.books.count)")
    }

    func stateDidUpdate(from old: ShelfState, to new: ShelfState) {
        // The new state is current when the hook runs.
        hooks.append("did \(old.books.count) \(getCurrentState().books.count)")
    }
}

enum ShelfAction: ServiceAction {
    case add(Book), quiet(Book), load(Book), saved(Book), young(Book), rename(Book), drop(Book), look(Book)

    var book: Book {
        switch self {
        case .add(let book), .quiet(let book), .load(let book), .saved(let book), .young(let book), .rename(let book),
            .drop(let book), .look(let book):
            book
        }
    }
    var request: any Message { book }
    var validationErrors: [String] { book.id.isEmpty ? ["id must not be empty"] : [] }
    var traits: ActionTraits {
        switch self {
        case .add: ActionTraits("add", .append)
        case .quiet: ActionTraits("quiet", .append, showsLoading: false)
        case .load: ActionTraits("load", .replaceAll, cache: .memory, supportsOffline: true)
        case .saved: ActionTraits("saved", .replaceAll, cache: .persistent, supportsOffline: true)
        case .young: ActionTraits("young", .replaceAll, cache: .conditional)
        case .rename: ActionTraits("rename", .updateByID)
        case .drop: ActionTraits("drop", .removeByID)
        case .look: ActionTraits("look", .noChange, modifiesState: false, isIdempotent: true)
        }
    }
}

struct ShelfState: ServiceState {
    var books: [Book] = []
    var isLoading = false
    var error: ShelfFailure?
    var lastUpdated: Date?
    var isStale = false

    static let rules = ItemRules<Book, String>("books", limit: 5, key: { $0.id })

    var ids: [String] { books.map(\.id) }
}

struct ShelfFailure: ActionFailure {
    let code: String
    let message: String
    let seconds: Double?
    let isRetryable: Bool

    init(_ error: ActionError) {
        (code, message, seconds, isRetryable) = (error.code, error.message, error.seconds, error.isRetryable)
    }
}

/// A service whose answers a test gives.
final class ShelfService: Sendable {
    typealias Answer = @Sendable (_ name: String, _ book: Book, _ call: Int) async throws -> BookList

    private let calls = Mutex<[String]>([])
    private let answer: Answer

    init(_ answer: @escaping Answer = { _, book, _ in BookList([book]) }) { self.answer = answer }

    /// The names of the actions that were sent.
    var names: [String] { calls.withLock { $0 } }

    func call(_ name: String, _ book: Book) async throws -> BookList {
        let count = calls.withLock { calls in
            calls.append(name)
            return calls.count
        }
        return try await answer(name, book, count)
    }
}
