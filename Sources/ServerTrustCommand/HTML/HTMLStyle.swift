//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The one style sheet of all pages.
enum HTMLStyle {
    /// Colours have a contrast of 4.5 to 1 at least, by day and by night (WCAG 2.2, 1.4.3).
    static let sheet: HTMLText = """
        :root {
          color-scheme: light dark;
          --ink: #1a1c1f; --soft: #555b63; --paper: #ffffff; --panel: #f5f6f8; --line: #d9dde3; --link: #0b57d0;
          --pass: #0f6b3c; --pass-bg: #e4f4ea; --fail: #a8201a; --fail-bg: #fdeceb; --unknown: #7a4d00; --unknown-bg: #fdf1da;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ink: #e7e9ec; --soft: #a5adb8; --paper: #14161a; --panel: #1c1f25; --line: #343a43; --link: #8ab4f8;
            --pass: #7bd8a3; --pass-bg: #12301f; --fail: #ff9d96; --fail-bg: #3a1715; --unknown: #f2c46d; --unknown-bg: #35270b;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 60rem; background: var(--paper); color: var(--ink);
          font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
          overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
        }
        h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
        h2 { margin: 0 0 1rem; font-size: 1.25rem; line-height: 1.3; font-weight: 650; }
        h3 { margin: 2rem 0 .75rem; padding-bottom: .3rem; font-size: 1rem; border-bottom: 1px solid var(--line); }
        h4 { margin: 0 0 .25rem; font-size: 1rem; }
        p { margin: 0 0 .5rem; }
        .soft, .scope { color: var(--soft); font-size: .875rem; }
        .codes { color: var(--soft); font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        article { margin-top: 2.5rem; padding-top: 2rem; border-top: 2px solid var(--ink); }
        .badge {
          display: inline-block; padding: .1rem .55rem; border-radius: 1rem; border: 1px solid currentColor;
          font-size: .8125rem; font-weight: 700; letter-spacing: .04em; white-space: nowrap;
        }
        .pass { color: var(--pass); background: var(--pass-bg); }
        .fail { color: var(--fail); background: var(--fail-bg); }
        .unknown { color: var(--unknown); background: var(--unknown-bg); }
        .verdicts { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
        .verdicts li { padding: .85rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .6rem; }
        .verdicts .badge { margin-bottom: .45rem; }
        .verdicts strong { display: block; line-height: 1.3; }
        @media (min-width: 44rem) { .verdicts { grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); } }
        .reasons, .advice { margin: 0; padding: 0; list-style: none; display: grid; gap: 1.25rem; }
        .advice { counter-reset: advice; }
        .advice > li { counter-increment: advice; }
        .advice h4::before { content: counter(advice) ". "; color: var(--soft); }
        pre {
          margin: .5rem 0; padding: .75rem .9rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--line);
          border-radius: .5rem; font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
          white-space: pre-wrap; overflow-wrap: anywhere;
        }
        details { margin: .5rem 0; }
        summary { cursor: pointer; color: var(--link); }
        summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        dl { margin: 0; }
        dl > div { padding: .45rem 0; border-bottom: 1px solid var(--line); }
        dl > div:last-child { border-bottom: 0; }
        dt { color: var(--soft); font-size: .875rem; }
        dd { margin: 0; }
        @media (min-width: 36rem) {
          dl > div { display: grid; grid-template-columns: 9rem 1fr; gap: 0 1rem; }
          dt { grid-row: 1 / span 99; }
          dd { grid-column: 2; }
        }
        .certificate { margin: .75rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; }
        .scroll { overflow-x: auto; }
        table { width: 100%; border-collapse: collapse; font-size: .875rem; }
        caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
        th, td { padding: .4rem .6rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
        th, td { overflow-wrap: break-word; }
        th[scope=row] { font-weight: 500; min-width: 2rem; }
        th[scope=row] a { display: inline-block; min-width: 6.5rem; }
        a { color: var(--link); }
        footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
        @media print {
          :root {
            --ink: #000; --soft: #444; --paper: #fff; --panel: #fff; --line: #bbb; --pass: #0f6b3c; --pass-bg: #fff;
            --fail: #a8201a; --fail-bg: #fff; --unknown: #7a4d00; --unknown-bg: #fff;
          }
          body { max-width: none; padding: 0; font-size: 10pt; }
          article { break-before: page; }
          article:first-of-type { break-before: auto; }
          h3, h4 { break-after: avoid; }
          .verdicts li, .certificate, .reasons li, pre, tr { break-inside: avoid; }
          .scroll { overflow: visible; }
          details::details-content { content-visibility: visible; display: block; block-size: auto; }
        }
        """
}
