// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchRPC
import TestTags
import Testing

@Suite(.tags(.updateStrategies)) struct ItemRulesTests {
    private let rules = ItemRules<Book, String>(
        "books", limit: 3, key: { $0.id }, search: { [$0.title] },
        sort: [
            SortField("title") { $0.title }, SortField("pages") { $0.pages }, SortField("price") { $0.price },
            SortField("long") { $0.pages > 100 ? 1 : nil },
        ], defaultSort: "title")
    private let items = [Book("a", title: "Emma"), Book("b", title: "Persuasion")]

    @Test func `The items of a state are appended, or replace the item with the same key`() {
        var books = items
        rules.append([Book("a", title: "Emma II"), Book("c")], to: &books)
        expectEqual(books.map(\.id), ["a", "b", "c"])
        expectEqual(books.first?.title, "Emma II")
    }

    @Test(.tags(.cacheLimits)) func `The items of a state drop the first ones over the limit`() {
        var books = items
        rules.append([Book("c"), Book("d"), Book("e")], to: &books)
        expectEqual(books.map(\.id), ["c", "d", "e"])
        rules.replaceAll(&books, with: (1...9).map { Book("\($0)") })
        expectEqual(books.map(\.id), ["1", "2", "3"])
    }

    @Test func `The items of a state are replaced as a whole, without duplicate keys`() {
        var books = items
        rules.replaceAll(&books, with: [Book("x"), Book("y"), Book("x", title: "later")])
        expectEqual(books, [Book("x", title: "later"), Book("y")])
        rules.replaceAll(&books, with: [])
        #expect(books.isEmpty)
    }

    @Test func `The items of a state are updated by the given key or their own`() {
        var books = items
        rules.update(Book("b", title: "Sanditon"), in: &books)
        rules.update(Book("new", title: "Lady Susan"), withKey: "a", in: &books)
        rules.update(Book("nobody"), in: &books)
        expectEqual(books.map(\.title), ["Lady Susan", "Sanditon"])
    }

    @Test func `The items of a state are removed and found by their key`() {
        var books = items
        rules.remove("a", from: &books)
        rules.remove("nobody", from: &books)
        expectEqual(books.map(\.id), ["b"])
        expectEqual(rules.item("b", in: books)?.title, "Persuasion")
        expectNil(rules.item("a", in: books))
    }

    @Test(arguments: [
        ("emma", ["a"]), ("EM ma", ["a"]), ("  ", ["a", "b"]), ("", ["a", "b"]), ("emma persuasion", []), ("s", ["b"]),
    ])
    func `The items of a state are found by the words of a query`(query: String, ids: [String]) {
        expectEqual(rules.search(query, in: items).map(\.id), ids)
    }

    @Test func `The items of a state are sorted both ways, equal ones in their order`() throws {
        let books = [Book("1", pages: 2), Book("2", pages: 1), Book("3", pages: 2), Book("4", pages: 1)]
        try expectEqual(rules.sorted(books, by: "pages", ascending: true).map(\.id), ["2", "4", "1", "3"])
        try expectEqual(rules.sorted(books, by: "pages", ascending: false).map(\.id), ["1", "3", "2", "4"])
        try expectEqual(rules.sorted(items.reversed(), by: nil, ascending: true).map(\.id), ["a", "b"])
    }

    @Test func `The items of a state are sorted with missing and NaN values first`() throws {
        let books = [Book("1", price: 2), Book("2", price: .nan), Book("3", price: 1), Book("4", price: .nan)]
        try expectEqual(rules.sorted(books, by: "price", ascending: true).map(\.id), ["2", "4", "3", "1"])
        try expectEqual(rules.sorted(books, by: "price", ascending: false).map(\.id), ["1", "3", "2", "4"])
        let long = [Book("1", pages: 200), Book("2")]
        try expectEqual(rules.sorted(long, by: "long", ascending: true).map(\.id), ["2", "1"])
    }

    @Test func `The items of a state are not sorted by an unknown field`() {
        let error = #expect(throws: ActionError.self) { try rules.sorted(items, by: "id", ascending: true) }
        expectEqual(error, .unknownSortField)
        expectEqual(error?.message, "'books' cannot be sorted by 'id'.")
        expectEqual(error?.hint, "Name one of title, pages, price, long.")
    }

    @Test(arguments: [
        (0, 1, ["a"]), (1, 5, ["b"]), (2, 1, []), (-3, 1, ["a"]), (0, 0, []), (0, Int.max, ["a", "b"]),
        (1, Int.max, ["b"]),
    ])
    func `The items of a state are paged`(offset: Int, limit: Int, ids: [String]) {
        expectEqual(rules.page(items, offset: offset, limit: limit).map(\.id), ids)
    }

    @Test func `The items of a state are equal if they differ only in ignored fields`() {
        let rules = ItemRules<Book, String>("books", key: { $0.id }, ignoring: { $0.storage.clear(2) })
        #expect(rules.areEqual([Book("a", pages: 1)], [Book("a", pages: 2)]))
        #expect(!rules.areEqual([Book("a", pages: 1)], [Book("b", pages: 1)]))
        #expect(!rules.areEqual([Book("a")], []))
        #expect(!self.rules.areEqual([Book("a", pages: 1)], [Book("a", pages: 2)]))
    }

    @Test func `The items of a state are validated`() {
        let books = (1...4).map { Book("\($0)") } + [Book("1")]
        let issues = rules.issues(books, reasons: { $0.id == "2" ? ["title must not be empty"] : [] })
        expectEqual(
            issues.map(\.description),
            [
                "books: 5 items are more than the 3 that are kept", "books[2]: title must not be empty",
                "books[1]: there are two items with this key",
            ])
        #expect(rules.issues(items).isEmpty)
    }
}
