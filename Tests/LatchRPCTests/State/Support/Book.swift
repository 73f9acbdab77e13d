// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// A book of the test service.
struct Book: Message {
    static let schema = MessageSchema(
        "shelf.v1.Book", "1 id string\n2 title string\n3 pages int32\n4 token string secret\n5 price double")

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    init(_ id: String, title: String = "", pages: Int32 = 0, token: String = "", price: Double = 0) {
        self.init()
        (self.id, self.title, self.pages, self.token, self.price) = (id, title, pages, token, price)
    }

    var id: String {
        get { storage[string: 0] }
        set { storage[string: 0] = newValue }
    }
    var title: String {
        get { storage[string: 1] }
        set { storage[string: 1] = newValue }
    }
    var pages: Int32 {
        get { storage[int32: 2] }
        set { storage[int32: 2] = newValue }
    }
    var token: String {
        get { storage[string: 3] }
        set { storage[string: 3] = newValue }
    }
    var price: Double {
        get { storage[double: 4] }
        set { storage[double: 4] = newValue }
    }
}

/// The response of the test service.
struct BookList: Message {
    static let schema = MessageSchema("shelf.v1.BookList", "1 books message 0 repeated", types: [Book.self])

    var storage: MessageStorage
    init(storage: MessageStorage) { self.storage = storage }

    init(_ books: [Book]) {
        self.init()
        self.books = books
    }

    var books: [Book] {
        get { storage[messages: 0] }
        set { storage[messages: 0] = newValue }
    }
}
