// SPDX-License-Identifier: Apache-2.0

/// The answer of a route that gives one page of a list.
///
/// ```swift
/// struct Notes: Decodable, PagedAnswer {
///     let notes: [Note], total: Int
///     var page: PageContent<Note> { PageContent(items: notes, total: total) }
/// }
/// ```
public protocol PagedAnswer<Item>: Sendable {
    /// What the list is of.
    associatedtype Item: Sendable

    /// What the answer says about the page.
    var page: PageContent<Item> { get }
}
