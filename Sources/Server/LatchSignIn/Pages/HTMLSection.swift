// SPDX-License-Identifier: Apache-2.0

/// A part of a page: a heading, a text, and a list of entries with their buttons.
package struct HTMLSection: Sendable {
    /// An entry of the list.
    package struct Entry: Sendable {
        private let title: String
        private let details: [String]
        private let mark: String?
        private let button: HTMLPage.Button<String>?
        private let links: [HTMLPage.Link]

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - details: Further lines, in smaller letters.
        ///   - mark: A word that tells the entry from the others, such as "this browser".
        ///   - button: The button that changes the entry.
        ///   - links: The pages on which the entry is changed.
        package init(
            _ title: String, details: [String] = [], mark: String? = nil, button: HTMLPage.Button<String>? = nil,
            links: [HTMLPage.Link] = []
        ) {
            (self.title, self.details, self.mark, self.button, self.links) = (title, details, mark, button, links)
        }

        /// Returns the entry.
        ///
        /// - Parameter id: The ID of its title and details, which are part of the name of its button and link.
        fileprivate func html(id: String) -> String {
            let escape = HTMLContext.text.escape
            let badge = mark.map { #" <span class="mark">\#(escape($0))</span>"# } ?? ""
            let lines = details.map { #"<span class="detail">\#(escape($0))</span>"# }.joined()
            let anchors = links.enumerated().map { number, link in
                let own = "\(id)-link-\(number)"
                return
                    #"<a id="\#(own)" aria-labelledby="\#(own) \#(id)" href="\#(link.url)">\#(escape(link.label))</a>"#
            }
            return """
                <li><div id="\(id)"><span>\(escape(title))</span>\(badge)\(lines)</div>\(anchors.joined())\
                \(button?.html(of: id) ?? "")</li>
                """
        }
    }

    /// Numbers as columns, from the earliest to the latest.
    package struct Chart: Sendable {
        private let numbers: [Int]
        private let label: String

        /// Creates a chart.
        ///
        /// - Parameter label: The numbers in words, for those who do not see the chart.
        package init(_ numbers: [Int], label: String) { (self.numbers, self.label) = (numbers, label) }

        fileprivate var svg: String {
            let (width, height, highest) = (10, 60, max(1, numbers.max() ?? 1))
            let columns = numbers.enumerated().map { index, number in
                // A number above zero is visible.
                let size = number == 0 ? 0 : max(2, number * height / highest)
                return #"<rect x="\#(index * width)" y="\#(height - size)" width="\#(width - 2)" height="\#(size)"/>"#
            }
            return """
                <svg class="chart" viewBox="0 0 \(numbers.count * width) \(height)" preserveAspectRatio="none" role="img" \
                aria-label="\(HTMLContext.attribute.escape(label))">\(columns.joined())</svg>
                """
        }
    }

    private let title: String
    private let text: String?
    private let chart: Chart?
    private let entries: [Entry]
    private let button: HTMLPage.Button<String>?

    /// Creates a section.
    ///
    /// - Parameter button: The button for all entries.
    package init(
        _ title: String, text: String? = nil, chart: Chart? = nil, entries: [Entry],
        button: HTMLPage.Button<String>? = nil
    ) {
        (self.title, self.text, self.chart, self.entries, self.button) = (title, text, chart, entries, button)
    }

    /// Returns the section.
    ///
    /// - Parameter number: The place of the section on its page, for the IDs of its elements.
    func html(number: Int) -> String {
        let escape = HTMLContext.text.escape
        let paragraph = text.map { "<p>\(escape($0))</p>" } ?? ""
        let list = entries.enumerated().map { $1.html(id: "entry-\(number)-\($0)") }.joined()
        return """
            <section aria-labelledby="section-\(number)"><h2 id="section-\(number)">\(escape(title))</h2>\(paragraph)\(chart?.svg ?? "")\
            \(list.isEmpty ? "" : "<ul class=\"entries\">\(list)</ul>")\(button?.html(of: "section-\(number)") ?? "")</section>
            """
    }
}
