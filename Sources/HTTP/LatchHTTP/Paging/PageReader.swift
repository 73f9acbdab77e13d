// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A reader of the pages of a list that any number of callers can share.
///
/// Each page is requested once: concurrent callers get consecutive pages. After an error or a cancellation, the next
/// call requests the same page again.
public final class PageReader<Item: Sendable, Position: Hashable & Sendable>: Sendable {
    /// The progress of the reading.
    private struct Progress {
        /// The position of the next page; nil at the end.
        var next: Position?
        /// The positions of the pages that were read, to detect cycles.
        var seen: Set<Position> = []
        var items: [Item] = []
        var total: Int?
        /// The number of resets, so that a page that was requested before a reset is not added to the new reading.
        var generation = 0
    }

    private let pages: Pages<Item, Position>
    private let progress: Mutex<Progress>
    /// The mutex held by the caller that requests the next page.
    private let queue = AsyncMutex()
    private let keepsItems: Bool

    init(_ pages: Pages<Item, Position>, keepingItems keepsItems: Bool) {
        self.pages = pages
        self.keepsItems = keepsItems
        progress = Mutex(Progress(next: pages.first))
    }

    /// Whether there may be more pages.
    public var hasMore: Bool { progress.withLock { isOpen($0) } }

    /// The total number of items according to the last page; nil if it did not state it.
    public var total: Int? { progress.withLock { $0.total } }

    /// The items of all pages that were read since the last `reset`, in their order.
    public var items: [Item] { progress.withLock { $0.items } }

    /// Requests the next page, or returns nil once the list has ended.
    ///
    /// An empty page is skipped if the list continues after it.
    ///
    /// - Throws: `HTTPError.pageRepeated` if the server returns to an earlier page, or sends empty pages without end.
    ///   Also `HTTPError.cancelled` if the task is canceled while it waits, and the errors of the page's request.
    public func next() async throws -> Page<Item, Position>? {
        do {
            return try await queue.withLock { try await self.load() }
        } catch is CancellationError {
            throw HTTPError.cancelled
        }
    }

    /// Reads the remaining pages and returns all items read since the last `reset`.
    public func loadAll() async throws -> [Item] {
        while try await next() != nil {}
        return items
    }

    /// Starts again at the first page; a page in progress is still returned to its caller, but not counted.
    public func reset() {
        progress.withLock { progress in
            progress = Progress(next: pages.first, generation: progress.generation + 1)
        }
    }

    /// Requests the next page that is not empty.
    private func load() async throws -> Page<Item, Position>? {
        for _ in 0..<Self.maximumEmptyPages {
            guard let (position, generation) = try nextPosition() else { return nil }
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

    /// Returns the position of the next page and the generation of the reading, or nil at the end.
    private func nextPosition() throws -> (Position, generation: Int)? {
        try progress.withLock { progress in
            guard isOpen(progress), let next = progress.next else { return nil }
            guard !progress.seen.contains(next) else { throw HTTPError.pageRepeated }
            return (next, progress.generation)
        }
    }

    /// The maximum number of consecutive empty pages; a server may send some if it filters items by permission.
    private static var maximumEmptyPages: Int { 100 }

    private func isOpen(_ progress: Progress) -> Bool {
        progress.next != nil && progress.seen.count < pages.limit ?? .max
    }
}

extension HTTPError {
    /// The list returns to an earlier page or consists of empty pages, so reading would never end.
    public static let pageRepeated = HTTPError(
        code: "pageRepeated", message: "The list returns to pages that were read, or continues with empty pages.",
        hint: "The server's cursors form a cycle; report it to the server's operator.")

    /// The list continues at another origin.
    public static let pageElsewhere = HTTPError(
        code: "pageElsewhere", message: "The next page of the list is at another origin.",
        hint: "Make a client for that origin, if you trust it.")
}
