/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html_parts - script and style, the same in every page of export_html. */
#ifndef RINGTOP_REPORT_EXPORT_HTML_PARTS_H
#define RINGTOP_REPORT_EXPORT_HTML_PARTS_H

extern const char html_script[];
extern const char html_style[];

#endif
