// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Reads the pages of a list one after the other, for any number of callers.
///
/// Each page is asked for once: who calls while another one's page is on its way gets the page after it. After an error,
/// or a cancellation, the next call asks for the same page again.
public final class PageReader<Item: Sendable, Position: Hashable & Sendable>: Sendable {
    /// How far the reading has come.
    private struct Progress {
        /// Where the next page begins; nil at the end.
        var next: Position?
        /// Where pages began that were read, by which a list that leads in a circle is noticed.
        var seen: Set<Position> = []
        var items: [Item] = []
        var total: Int?
        /// Goes up with each `reset`, so that a page that was on its way then is not taken for one of the new reading.
        var generation = 0
    }

    private let pages: Pages<Item, Position>
    private let progress: Mutex<Progress>
    /// Whose turn it is to ask for the next page.
    private let turn = AsyncMutex()
    private let keepsItems: Bool

    init(_ pages: Pages<Item, Position>, keepingItems keepsItems: Bool) {
        self.pages = pages
        self.keepsItems = keepsItems
        progress = Mutex(Progress(next: pages.first))
    }

    /// Whether there may be more pages.
    public var hasMore: Bool { progress.withLock { isOpen($0) } }

    /// How many items there are in all, as the last page said; nil where it did not.
    public var total: Int? { progress.withLock { $0.total } }

    /// The items of all pages that were read since the last `reset`, in their order.
    public var items: [Item] { progress.withLock { $0.items } }

    /// Asks for the next page; nil at the end, and ever after.
    ///
    /// A page with nothing on it is passed over where it says that the list goes on.
    ///
    /// - Throws: `HTTPError.pageRepeated` where the server leads back to a page that was read, or gives empty pages
    ///   without end, `HTTPError.cancelled` where the task is cancelled while it waits, and what asking for the page throws.
    public func next() async throws -> Page<Item, Position>? {
        do {
            return try await turn.take { try await self.load() }
        } catch is CancellationError {
            throw HTTPError.cancelled
        }
    }

    /// Reads all that is left, and gives all items that were read since the last `reset`.
    public func loadAll() async throws -> [Item] {
        while try await next() != nil {}
        return items
    }

    /// Begins anew at the first page; a page that is on its way still goes to its caller, and counts no more.
    public func reset() {
        progress.withLock { progress in
            progress = Progress(next: pages.first, generation: progress.generation + 1)
        }
    }

    /// The next page with something on it, for whoever has the turn.
    private func load() async throws -> Page<Item, Position>? {
        for _ in 0..<Self.mostEmptyPages {
            guard let (position, generation) = try place() else { return nil }
            let page = try await pages.load(position)
            progress.withLock { progress in
                guard progress.generation == generation else { return }
                progress.seen.insert(position)
                progress.next = page.next
                progress.total = page.total
                if keepsItems { progress.items += page.items }
            }
            if !page.items.isEmpty { return page }
        }
        throw HTTPError.pageRepeated
    }

    /// Where the next page begins, and of which reading it is; nil at the end.
    private func place() throws -> (Position, generation: Int)? {
        try progress.withLock { progress in
            guard isOpen(progress), let next = progress.next else { return nil }
            guard !progress.seen.contains(next) else { throw HTTPError.pageRepeated }
            return (next, progress.generation)
        }
    }

    /// A server may leave out what a caller may not see, and so give empty pages, but hardly so many in a row.
    private static var mostEmptyPages: Int { 100 }

    private func isOpen(_ progress: Progress) -> Bool {
        progress.next != nil && progress.seen.count < pages.limit ?? .max
    }
}

extension HTTPError {
    /// A list leads back to a page that was read, or to empty ones; going on would never end.
    public static let pageRepeated = HTTPError(
        code: "pageRepeated", message: "The list leads back to pages that were read, or to empty ones for ever.",
        hint: "The server's cursors go in a circle; ask those who run it.")

    /// A list goes on at another server, which nobody asked for.
    public static let pageElsewhere = HTTPError(
        code: "pageElsewhere", message: "The next page of the list is at another origin.",
        hint: "Make a client for that origin, if you trust it.")
}
